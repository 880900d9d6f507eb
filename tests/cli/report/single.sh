# One run, and one trace of every format, whole or cut.
rastrum run arena --ticks 24 --seed 7 -q -o good >/dev/null
for trace in good good/replay.murk good/state.cdt good/gpu.aerogputrace good/events.trc good/calls; do
    rastrum report $trace -f -o r.html >/dev/null
    "$TOOLS/html_report" r.html title headings
done
truncate -s 3000 good/replay.murk
rastrum report good/replay.murk -f -o r.html >/dev/null || echo "exit $?"
"$TOOLS/html_report" r.html title banner headings
