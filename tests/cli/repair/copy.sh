# A repaired copy is whole, the trace stays as it was, and repairing it again changes nothing.
cp "$GOLDEN"/murk/cut_frame.murk run.murk
rastrum repair run.murk -o repaired.murk >report 2>err || echo "exit $?"
cmp run.murk "$GOLDEN"/murk/cut_frame.murk
rastrum verify --strict repaired.murk
rastrum repair -n repaired.murk
