# Loss is reported even with --quiet.
cp "$GOLDEN"/murk/cut_hash.murk run.murk
rastrum info --quiet run.murk >/dev/null
