# An array when several are named.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
cp "$GOLDEN"/murk/cut_frame.murk cut.murk
rastrum verify --json run.murk cut.murk | /usr/bin/python3 "$TOOLS/shape.py"
