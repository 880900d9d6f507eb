# What was followed until the interrupt is kept; half an answer is not.
. "$TOOLS/wait.sh"
mkfifo pipe
cat "$GOLDEN/murk/all_payloads.murk" >growing.murk
rastrum cat --follow --depth 0 --fields tick_id -o followed.txt growing.murk &
following=$!
rastrum cat --depth 0 -o piped.txt - <pipe &
piping=$!
exec 3>pipe
cat "$GOLDEN/murk/all_payloads.murk" >&3
wait_until waits_for_input $following
wait_for_looks $following 5
wait_until waits_for_input $piping
kill -TERM $following $piping
wait $following || echo "died of signal $(($? - 128))"
wait $piping || echo "died of signal $(($? - 128))"
cat followed.txt
ls
