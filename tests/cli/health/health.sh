# What a comparison would find; anything missing is no.
cp "$GOLDEN"/cdt/big-run-golden.cdt a.cdt
rastrum health --json-out r.json a.cdt
grep -c . r.json
rastrum health --tick-start 20 a.cdt || echo "exit $?"
rastrum health --json --tick-start 2 --tick-end 3 a.cdt
rastrum health "$GOLDEN"/cdt/no_timing.cdt | tail -n 3
rastrum health a.cdt a.cdt || echo "exit $?"
