# An array when several are named.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
cp "$GOLDEN"/murk/no_frames.murk other.murk
rastrum info --json run.murk other.murk | /usr/bin/python3 "$TOOLS/shape.py"
