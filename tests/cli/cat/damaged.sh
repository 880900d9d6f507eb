# Records up to the damage, one line, status 3.
cp "$GOLDEN"/murk/bad_flag.murk run.murk
rastrum cat run.murk
