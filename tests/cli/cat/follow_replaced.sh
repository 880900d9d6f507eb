# A file that is replaced or removed while it is followed: said once, and its records stay.
. "$TOOLS/wait.sh"
for how in 'mv other run.murk' 'rm run.murk'; do
    cp "$GOLDEN"/murk/config_unset.murk run.murk
    cp "$GOLDEN"/murk/all_payloads.murk other
    rm -f followed said
    rastrum cat --follow --format jsonl run.murk >followed 2>said &
    pid=$!
    wait_until has_lines followed 1
    $how
    wait_until has_lines said 1
    sleep 0.5
    kill -INT $pid
    wait $pid || echo "status $?"
    cat said
    wc -l <followed
done
