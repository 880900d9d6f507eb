# One run, and one trace of every format, whole or cut.
rastrum run arena --ticks 24 --seed 7 -q -o good >/dev/null
cd good
for trace in . replay.murk state.cdt gpu.aerogputrace events.trc calls; do
    rastrum report $trace -f -o ../r.html >/dev/null
    "$TOOLS/html_report" ../r.html title headings
done
truncate -s 3000 replay.murk
rastrum report replay.murk -f -o ../r.html >/dev/null || echo "exit $?"
"$TOOLS/html_report" ../r.html title banner headings
