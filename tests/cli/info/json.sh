# One object for one trace, keys in their order.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
rastrum info --json run.murk
rastrum info --json run.murk | /usr/bin/python3 "$TOOLS/shape.py"
