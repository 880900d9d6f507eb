# A test that takes too long passes, and so does what it started end.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
test='rastrum cat --where "tick == 3" "$1" || { sleep 60 & wait; }'
rastrum reduce --json --timeout 10 run.murk -o min.murk -- sh -c "$test" sh {} |
    grep -o '"status".*'
rastrum cat --fields tick_id min.murk
