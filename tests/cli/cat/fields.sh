# Only these fields.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
rastrum cat --fields tick_id,payload_name run.murk
rastrum cat --fields payload_name --format jsonl run.murk | tail -n 1
