# Every sample with a uid, of all pools.
cp "$GOLDEN"/cdt/python.cdt a.cdt
rastrum dbg entity a.cdt 3
rastrum dbg entity --json a.cdt 4
rastrum dbg entity --ticks 1.. a.cdt 3 || echo "exit $?"
rastrum dbg entity --ticks 6..3 a.cdt 3 || echo "exit $?"
rastrum dbg entity --ticks x a.cdt 3 || echo "exit $?"
rastrum dbg entity a.cdt -- -3 || echo "exit $?"
rastrum dbg entity a.cdt || echo "exit $?"
