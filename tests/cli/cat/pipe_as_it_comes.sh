# From a pipe records are printed as they arrive.
. "$TOOLS/wait.sh"
cp "$GOLDEN"/murk/all_payloads.murk run.murk
mkfifo pipe
rastrum cat --type frame - <pipe >seen &
exec 3>pipe
head -c 540 run.murk >&3
wait_until has_lines seen 2
cat seen
exec 3>&-
wait $! || echo "status $?"
