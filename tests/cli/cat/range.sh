# Half-open, on the axis of the format: ticks.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
rastrum cat --type frame --from 2 run.murk
echo
rastrum cat --type frame --to 2 run.murk
echo
rastrum cat --type frame --from 2 --to 3 run.murk
echo
rastrum cat --from 4 run.murk || echo "exit $?"
