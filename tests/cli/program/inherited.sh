# Programs that are started have the limits and signals that rastrum was started with.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
cat >look <<'S'
{ ulimit -Sn; grep SigIgn /proc/self/status | grep -c '1...$'; } >>seen
S
ulimit -Sn 300
trap '' PIPE
rastrum reduce -q run.murk -o min.murk -j 1 --max-tests 1 -- sh "$PWD/look" {} 2>/dev/null
rastrum record -q --children -o calls -- sh look
cat seen
