# Ticks of a replay take a millisecond each; commands are instants with their fields.
cp "$GOLDEN"/murk/all_payloads.murk a.murk
rastrum export --to chrome a.murk -o a.json
cat a.json
rastrum export --to chrome --type command --where 'payload_name == "Move"' --fields entity_id a.murk
