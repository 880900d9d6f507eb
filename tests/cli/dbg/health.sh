# What a comparison would find; anything missing is no.
cp "$GOLDEN"/cdt/big-run-golden.cdt a.cdt
rastrum dbg health --json-out r.json a.cdt
grep -c . r.json
rastrum dbg health --tick-start 20 a.cdt || echo "exit $?"
rastrum dbg health --json --tick-start 2 --tick-end 3 a.cdt
rastrum dbg health "$GOLDEN"/cdt/no_timing.cdt | tail -n 3
rastrum dbg health a.cdt a.cdt || echo "exit $?"
