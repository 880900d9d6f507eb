# --json of a stream of records is JSON Lines.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
rastrum cat --json run.murk >a
rastrum cat --format jsonl run.murk | cmp - a
