# Records as text.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
rastrum cat run.murk
