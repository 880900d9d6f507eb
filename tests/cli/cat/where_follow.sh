# A condition on a trace that is still being written.
trace=$GOLDEN/murk/all_payloads.murk
(head -c 200 "$trace"; sleep 0.2; tail -c +201 "$trace") |
    rastrum cat --where 'coord[0] == 5 or tick == 3' --fields payload_name -
