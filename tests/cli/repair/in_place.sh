# In place: under its own name, with a plan that takes it back.
cp "$GOLDEN"/murk/cut_frame.murk run.murk
rastrum repair --in-place --quiet run.murk || echo "exit $?"
cat run.murk.undo.json
rastrum verify run.murk
rastrum repair --undo run.murk.undo.json run.murk
cmp run.murk "$GOLDEN"/murk/cut_frame.murk && echo as it was
