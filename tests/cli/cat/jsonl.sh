# One object a line, keys in their order.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
rastrum cat --format jsonl run.murk | head -n 3
rastrum cat --format jsonl run.murk | /usr/bin/python3 "$TOOLS/shape.py"
