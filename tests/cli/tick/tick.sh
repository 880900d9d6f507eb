# One tick, as six lines or as JSON.
cp "$GOLDEN"/cdt/big-run-candidate.cdt a.cdt
rastrum tick a.cdt 5
rastrum tick --json a.cdt 5
rastrum tick a.cdt 10 || echo "exit $?"
rastrum tick a.cdt -- -1 || echo "exit $?"
rastrum tick a.cdt five || echo "exit $?"
rastrum tick a.cdt || echo "exit $?"
rastrum tick "$GOLDEN"/murk/all_payloads.murk 1 || echo "exit $?"
rastrum tick nowhere.cdt 1 || echo "exit $?"
