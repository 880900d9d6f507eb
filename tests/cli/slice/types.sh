# Frames without commands; commands bring their frames along.
rastrum slice --type frame "$GOLDEN"/murk/all_payloads.murk -o a.murk
rastrum info --json a.murk | grep by_type
rastrum slice --type command "$GOLDEN"/murk/all_payloads.murk -o b.murk
rastrum info --json b.murk | grep by_type
