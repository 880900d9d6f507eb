# The first records that match are left out; the limit counts those after them.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
rastrum cat --offset 9 --fields payload_name run.murk
rastrum cat --offset 1 --limit 2 --where 'type == "command"' --fields payload_name run.murk
rastrum cat --offset 99 --where 'type == "command"' run.murk
rastrum cat --json --header --offset 1 run.murk || echo "exit $?"
