# Waiting for a header can be interrupted, and leaves no files.
. "$TOOLS/wait.sh"
: >empty.murk
rastrum cat --follow -o records.txt empty.murk &
waiting=$!
wait_until waits_for_input $waiting
wait_for_looks $waiting 3
kill -TERM $waiting
wait $waiting || echo "died of signal $(($? - 128))"
ls
