# What a trace is.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
rastrum info run.murk
