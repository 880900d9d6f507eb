# Merged order of a format without times is its own.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
rastrum cat run.murk >a
rastrum cat --merged run.murk | cmp - a
