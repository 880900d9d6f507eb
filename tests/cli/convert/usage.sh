# Only what the format knows can be written.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
rastrum convert --to v2 run.murk -o x.murk || echo "exit $?"
rastrum convert run.murk || echo "exit $?"
rastrum convert run.murk -o same.murk && cmp same.murk run.murk
