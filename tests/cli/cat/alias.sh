# dump is cat.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
rastrum cat run.murk >a
rastrum dump run.murk | cmp - a
