# It is said where the copy goes; an existing file is kept; a cut header is beyond repair.
cp "$GOLDEN"/murk/cut_frame.murk run.murk
cp "$GOLDEN"/murk/header_cut.murk head.murk
rastrum repair run.murk || echo "exit $?"
rastrum repair -n --in-place run.murk || echo "exit $?"
rastrum repair -n run.murk run.murk || echo "exit $?"
rastrum repair run.murk -o run.murk || echo "exit $?"
rastrum repair -n head.murk || echo "exit $?"
rastrum repair --in-place - <run.murk || echo "exit $?"
