# A backup plan that is there is somebody's: nothing is changed.
cp "$GOLDEN"/murk/cut_frame.murk run.murk
echo mine >run.murk.undo.json
rastrum repair --in-place run.murk || echo "exit $?"
cmp run.murk "$GOLDEN"/murk/cut_frame.murk
cat run.murk.undo.json
