# Several types: the values in one column.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
rastrum cat --format csv --limit 3 run.murk
