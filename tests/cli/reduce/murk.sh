# A replay: frames go, then commands; what is left is valid and no part of it can go.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
rastrum reduce run.murk -o min.murk -- \
    sh -c 'rastrum cat --where "payload_name == \"Custom\"" "$1"' sh {}
rastrum cat --fields payload_name min.murk
rastrum verify min.murk
# Two commands of two frames that are needed together.
both='n=$(rastrum cat --where "payload_name == \"Despawn\"" "$1" | wc -l); [ $n = 2 ]'
rastrum reduce run.murk -o both.murk -- sh -c "$both" sh {}
rastrum cat --fields payload_name,entity_id both.murk
ls
