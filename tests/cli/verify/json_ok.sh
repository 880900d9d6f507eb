# No findings.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
rastrum verify --json --strict run.murk
