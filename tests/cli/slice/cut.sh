# A slice of a cut trace has its complete records, and the loss is reported.
cp "$GOLDEN"/murk/cut_frame.murk run.murk
rastrum slice --json run.murk -o a.murk || echo "exit $?"
rastrum verify a.murk
