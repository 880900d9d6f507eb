# One entity of two traces: the fields that differ, side by side.
cp "$GOLDEN"/cdt/big-run-golden.cdt a.cdt
cp "$GOLDEN"/cdt/big-run-candidate.cdt b.cdt
rastrum entity 0 a.cdt b.cdt || echo "exit $?"
rastrum entity a.cdt b.cdt 0 >/dev/null || echo "exit $?"
rastrum entity --json 0 a.cdt b.cdt || echo "exit $?"
rastrum entity --ticks ..5 0 a.cdt b.cdt
rastrum entity 0 a.cdt a.cdt
rastrum entity 77 a.cdt b.cdt || echo "exit $?"
rastrum entity --pool bonus 0 a.cdt b.cdt || echo "exit $?"
cp "$GOLDEN"/cdt/python.cdt c.cdt
rastrum entity 3 c.cdt c.cdt || echo "exit $?"
rastrum entity --pool bonus 3 c.cdt c.cdt
rastrum entity 0 a.cdt "$GOLDEN"/murk/all_payloads.murk || echo "exit $?"
