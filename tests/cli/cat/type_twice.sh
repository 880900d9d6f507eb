# Types may be repeated or listed.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
rastrum cat --type frame --type command run.murk | wc -l
rastrum cat --type frame,command run.murk | wc -l
