# Only records of a type; numbers stay those of the whole trace.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
rastrum cat --type frame run.murk
rastrum cat -t frame --format jsonl run.murk | cut -c 1-40
