# One type: its fields are the columns.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
rastrum cat --format csv --type frame run.murk
