# From a pipe records are printed as they arrive.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
mkfifo pipe
rastrum cat --type frame - <pipe >seen &
exec 3>pipe
head -c 540 run.murk >&3
i=0
while [ "$(wc -l <seen)" -lt 2 ] && [ $i -lt 80 ]; do sleep 0.05; i=$((i + 1)); done
cat seen
exec 3>&-
wait $! || echo "status $?"
