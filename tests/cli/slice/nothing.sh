# Nothing matched: an empty trace, and no.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
rastrum slice --from 1000 run.murk -o a.murk || echo "exit $?"
rastrum verify a.murk
rastrum slice --stream elsewhere "$GOLDEN"/murk/all_payloads.murk -o b.murk || echo "exit $?"
