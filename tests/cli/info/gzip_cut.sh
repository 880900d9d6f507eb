# A gzip member cut short: what could be inflated is read, status 3.
cp "$GOLDEN"/murk/wrapped_cut.murk run.murk
rastrum info run.murk | grep -E "ending|records"
rastrum info run.murk >/dev/null
