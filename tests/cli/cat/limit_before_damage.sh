# Records after the limit are not read: status 0.
cp "$GOLDEN"/murk/bad_flag.murk run.murk
rastrum cat --limit 1 run.murk
