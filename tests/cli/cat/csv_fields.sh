# Named fields are the columns, in the order asked for.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
rastrum cat --format csv --type command --fields payload_name,coord,entity_id run.murk
