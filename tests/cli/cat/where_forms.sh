# A condition goes with every form, range, limit and order; what only it looks at is not shown.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
cp -r "$GOLDEN"/atf/two_threads session
rastrum cat --where 'coord[0] >= 1' --fields payload_name --format jsonl run.murk
rastrum cat --where 'coord[0] >= 1' --fields payload_name --format csv run.murk
rastrum cat --where 'coord[0] >= 1' --fields payload_name --format csv --type command run.murk
rastrum cat --where 'coord[0] >= 1' --fields payload_name --limit 2 run.murk
rastrum cat --where 'seq > 2' --from 2 --to 3 -t command --fields payload_name --limit 1 run.murk
rastrum cat --where 'time_ns >= +20ns and time_ns < 1031ns' --merged --fields thread_id session
rastrum cat --where 'stream == 1' --axis seq --from 0 --to 100 --type event session | wc -l
cat run.murk | rastrum cat --where 'tick == 3' --fields tick_id -
rastrum cat --where 'tick == 3' --fields tick_id run.murk run.murk
