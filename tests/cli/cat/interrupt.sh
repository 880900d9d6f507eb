# Ctrl-C ends it quietly, and leaves no half-written file.
. "$TOOLS/wait.sh"
cp "$GOLDEN"/murk/all_payloads.murk run.murk
mkfifo pipe
rastrum cat -o answer - <pipe &
pid=$!
exec 3>pipe
head -c 300 run.murk >&3
wait_until waits_for_input $pid
kill -INT $pid
wait $pid || echo "status $?"
exec 3>&-
ls
