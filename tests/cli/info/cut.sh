# A cut trace: the answer, one line of loss, status 3.
cp "$GOLDEN"/murk/cut_frame.murk run.murk
rastrum info run.murk | grep ending
rastrum info run.murk >/dev/null
