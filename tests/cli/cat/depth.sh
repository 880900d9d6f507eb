# --depth 0 leaves out what belongs to a parent.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
rastrum cat --depth 0 run.murk
rastrum cat --depth 1 run.murk | wc -l
