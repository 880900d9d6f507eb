# A range that ends before it begins.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
rastrum cat --from 3 --to 2 run.murk
