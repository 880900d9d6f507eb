# --follow on a growing file: every record as it comes; Ctrl-C ends it quietly.
. "$TOOLS/wait.sh"
cp "$GOLDEN"/murk/all_payloads.murk run.murk
rastrum cat --format jsonl run.murk >whole
: >growing
/usr/bin/python3 "$TOOLS/grow.py" run.murk growing 7 &
rastrum cat --follow --format jsonl growing >followed &
pid=$!
wait_until cmp -s whole followed
cmp whole followed
kill -INT $pid
wait $pid || echo "status $?"
wc -l <followed
