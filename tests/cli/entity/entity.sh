# Every sample with a uid: of one pool; --pool is required if there are several.
cp "$GOLDEN"/cdt/python.cdt a.cdt
rastrum entity a.cdt 3 || echo "exit $?"
rastrum entity --json a.cdt 3 || echo "exit $?"
rastrum entity --pool creature a.cdt 3
rastrum entity --pool bonus 3 a.cdt
rastrum entity --json a.cdt 4
rastrum entity --ticks 1.. a.cdt 3 || echo "exit $?"
rastrum entity --ticks 6..3 a.cdt 3 || echo "exit $?"
rastrum entity --ticks x a.cdt 3 || echo "exit $?"
rastrum entity a.cdt -- -3 || echo "exit $?"
rastrum entity --pool creatures a.cdt 3 || echo "exit $?"
rastrum entity a.cdt three || echo "exit $?"
rastrum entity a.cdt || echo "exit $?"
rastrum entity "$GOLDEN"/murk/all_payloads.murk 3 || echo "exit $?"
