# Behind -- everything is a trace.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
mv run.murk ./--json
rastrum info -- --json | head -n 1
