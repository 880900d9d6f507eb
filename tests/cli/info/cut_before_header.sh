# Cut before the header is whole: trouble.
cp "$GOLDEN"/murk/header_cut.murk run.murk
rastrum info run.murk
