# Zeros that a crash left are cut; what a reader showed of them is counted as lost.
cp "$GOLDEN"/murk/zero_tail_cut.murk run.murk
rastrum repair -n run.murk || echo "exit $?"
# A trace that is complete, and ends in frames of zeros that cat shows.
cp "$GOLDEN"/murk/zero_tail.murk run.murk
rastrum cat run.murk | grep -c frame
rastrum repair run.murk -o repaired.murk || echo "exit $?"
rastrum cat repaired.murk | grep -c frame
