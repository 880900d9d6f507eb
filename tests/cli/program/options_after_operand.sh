# Options may follow the trace, joined or apart, short ones too.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
rastrum cat run.murk --limit=1
rastrum cat run.murk --limit 1
rastrum cat run.murk -n1 -F jsonl
