# - is standard input.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
rastrum du - <run.murk | head -n 1
