# The plan is printed and nothing is written; what had to be given up makes it 3.
cp "$GOLDEN"/murk/cut_frame.murk run.murk
rastrum repair --dry-run run.murk || echo "exit $?"
ls
