# A bound is a whole number that fits 64 bits, and a range begins before it ends.
cp "$GOLDEN/murk/ticks_odd.murk" .
trace=ticks_odd.murk
for bound in '' x 1x -1 99999999999999999999; do
    rastrum cat --axis tick --from "$bound" "$trace" || echo "exit $?"
done
rastrum cat --axis tick --to +3 "$trace" || echo "exit $?"
rastrum cat --from 4 --to 3 "$trace" || echo "exit $?"
rastrum cat --from 4 --to 4 "$trace" || echo "exit $?"
rastrum cat --from 4 --to 6 "$trace"
rastrum cat --from -4 "$trace" || echo "exit $?"
rastrum cat --from four "$trace" || echo "exit $?"
