# Every sample with a uid, of all pools.
cp "$GOLDEN"/cdt/python.cdt a.cdt
rastrum entity a.cdt 3
rastrum entity --json a.cdt 4
rastrum entity --ticks 1.. a.cdt 3 || echo "exit $?"
rastrum entity --ticks 6..3 a.cdt 3 || echo "exit $?"
rastrum entity --ticks x a.cdt 3 || echo "exit $?"
rastrum entity a.cdt -- -3 || echo "exit $?"
rastrum entity a.cdt || echo "exit $?"
