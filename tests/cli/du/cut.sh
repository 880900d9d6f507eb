# The bytes of a cut trace add up too.
cp "$GOLDEN"/murk/cut_frame.murk run.murk
rastrum du run.murk
