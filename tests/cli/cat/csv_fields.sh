# Named fields are the columns, in the requested order.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
rastrum cat --format csv --type command --fields payload_name,coord,entity_id run.murk
