# Ctrl-C ends it quietly, and leaves no half-written file.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
mkfifo pipe
rastrum cat -o answer - <pipe &
pid=$!
exec 3>pipe
head -c 300 run.murk >&3
sleep 0.3
kill -INT $pid
wait $pid || echo "status $?"
exec 3>&-
ls
