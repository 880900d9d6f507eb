# A cut trace is not valid: status 1.
cp "$GOLDEN"/murk/cut_frame.murk run.murk
rastrum verify run.murk
