# What was followed until the interrupt is kept; half an answer is not.
mkfifo pipe
cat "$GOLDEN/murk/all_payloads.murk" >growing.murk
rastrum cat --follow --depth 0 --fields tick_id -o followed.txt growing.murk &
following=$!
(cat "$GOLDEN/murk/all_payloads.murk"; sleep 5) >pipe &
rastrum cat --depth 0 -o piped.txt - <pipe &
piping=$!
sleep 2
kill -TERM $following $piping
wait $following || echo "died of signal $(($? - 128))"
wait $piping || echo "died of signal $(($? - 128))"
cat followed.txt
ls
