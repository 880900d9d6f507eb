# Findings as data: keys in their order.
cp "$GOLDEN"/murk/cut_frame.murk run.murk
rastrum verify --json run.murk || echo $?
rastrum verify --json run.murk | /usr/bin/python3 "$TOOLS/shape.py"
