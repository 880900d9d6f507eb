# A cut trace: the rows before the cut, and exit status 3.
cp "$GOLDEN"/murk/cut_frame.murk .
rastrum sql cut_frame.murk 'SELECT tick FROM frame' || echo $?
rastrum sql --quiet cut_frame.murk 'SELECT count(*) FROM record' || echo $?
rastrum cat cut_frame.murk >/dev/null || echo $?
