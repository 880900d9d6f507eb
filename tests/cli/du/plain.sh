# Where the bytes go.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
rastrum du run.murk
