# The document that scripts rely on.
cp "$GOLDEN"/murk/cut_frame.murk run.murk
rastrum repair -n --json run.murk || echo "exit $?"
