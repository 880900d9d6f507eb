# -o - is standard output.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
rastrum cat -o - --limit 1 run.murk
