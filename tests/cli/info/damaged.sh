# Damage that cannot be stepped over: status 3.
cp "$GOLDEN"/murk/bad_flag.murk run.murk
rastrum info --json run.murk | grep ending
rastrum info run.murk >/dev/null
