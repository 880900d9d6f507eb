# One tick, as six lines or as JSON.
cp "$GOLDEN"/cdt/big-run-candidate.cdt a.cdt
rastrum dbg tick a.cdt 5
rastrum dbg tick --json a.cdt 5
rastrum dbg tick a.cdt 10 || echo "exit $?"
rastrum dbg tick a.cdt -- -1 || echo "exit $?"
rastrum dbg tick a.cdt five || echo "exit $?"
rastrum dbg tick a.cdt || echo "exit $?"
rastrum dbg tick "$GOLDEN"/murk/all_payloads.murk 1 || echo "exit $?"
rastrum dbg tick nowhere.cdt 1 || echo "exit $?"
