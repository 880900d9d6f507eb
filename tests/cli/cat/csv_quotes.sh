# Commas and quotes inside values are quoted.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
rastrum cat --format csv --type command --fields coord,params run.murk | tail -n 3
