# Wrapped: stored and raw bytes.
cp "$GOLDEN"/murk/wrapped.murk run.murk
rastrum du run.murk
