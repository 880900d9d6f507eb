# The worst status counts.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
cp "$GOLDEN"/murk/cut_frame.murk cut.murk
rastrum verify run.murk cut.murk
