# Of a cut trace what is whole is there, and the loss is told.
cp "$GOLDEN"/murk/cut_frame.murk run.murk
rastrum slice --json run.murk -o a.murk || echo "exit $?"
rastrum verify a.murk
