# A format without calls has no tree.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
rastrum tree run.murk
