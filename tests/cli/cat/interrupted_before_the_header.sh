# Whoever waits for a header can be interrupted, and leaves nothing behind.
: >empty.murk
rastrum cat --follow -o records.txt empty.murk &
waiting=$!
sleep 0.5
kill -TERM $waiting
wait $waiting || echo "died of signal $(($? - 128))"
ls
