# A sound trace.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
rastrum verify run.murk
rastrum verify --strict --deep run.murk
