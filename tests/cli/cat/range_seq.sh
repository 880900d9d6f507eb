# On --axis seq: places in the trace.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
rastrum cat --axis seq --from 8 --to 10 --fields payload_name run.murk
