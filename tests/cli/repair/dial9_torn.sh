# A stream appended to a torn one: the torn frame takes its header for values, and goes.
head -c 83 "$GOLDEN"/dial9/batches.trc >torn.bin.active
cat torn.bin.active "$GOLDEN"/dial9/batches.trc >joined.trc
rastrum repair joined.trc -o repaired.trc || echo "exit $?"
rastrum verify --strict repaired.trc | tail -n 1
rastrum cat repaired.trc
rastrum repair -n repaired.trc | head -n 1
