# One tick of two traces; a difference is no failure, a missing tick is.
cp "$GOLDEN"/cdt/big-run-golden.cdt a.cdt
cp "$GOLDEN"/cdt/big-run-candidate.cdt b.cdt
m="$GOLDEN"/murk/all_payloads.murk
rastrum dbg focus --tick 4 a.cdt b.cdt
rastrum dbg focus --tick 7 --json-out r.json a.cdt b.cdt
grep -A 6 '"creatures": {' r.json
rastrum dbg focus --tick 4 --json a.cdt b.cdt
rastrum dbg focus --tick 10 a.cdt b.cdt || echo "exit $?"
rastrum dbg focus a.cdt b.cdt || echo "exit $?"
rastrum dbg focus --tick 1 a.cdt || echo "exit $?"
rastrum dbg focus --tick 1 "$m" "$m" || echo "exit $?"
rastrum dbg focus --tick 1 a.cdt "$m" || echo "exit $?"
