# --strict: a cut is an error, status 2.
cp "$GOLDEN"/murk/cut_hash.murk run.murk
rastrum cat --strict run.murk
