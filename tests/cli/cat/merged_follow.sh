# The whole trace or the growing one, not both.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
rastrum cat --merged --follow run.murk
