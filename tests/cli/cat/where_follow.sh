# A condition on a trace that is still being written.
trace=$GOLDEN/murk/all_payloads.murk
/usr/bin/python3 "$TOOLS/slowly.py" --piece 200 1 <"$trace" |
    rastrum cat --where 'coord[0] == 5 or tick == 3' --fields payload_name -
