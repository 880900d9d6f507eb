# It is said where the slice goes; what is there stays.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
rastrum slice run.murk || echo "exit $?"
rastrum slice run.murk run.murk -o x || echo "exit $?"
rastrum slice run.murk -o run.murk || echo "exit $?"
rastrum slice --axis time --from 1s run.murk -o x || echo "exit $?"
rastrum slice --json run.murk -o - || echo "exit $?"
