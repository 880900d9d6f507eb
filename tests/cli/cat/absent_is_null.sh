# Absent optional values are null; 64-bit numbers stay exact.
cp "$GOLDEN"/murk/presence.murk run.murk
rastrum cat --format jsonl --type command --fields source_id,source_seq run.murk
