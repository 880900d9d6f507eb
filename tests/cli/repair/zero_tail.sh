# Zeros that a crash left are cut; they were no content, so nothing is lost.
cp "$GOLDEN"/murk/zero_tail_cut.murk run.murk
rastrum repair -n run.murk
