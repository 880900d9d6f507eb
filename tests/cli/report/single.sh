# One run, and one trace of every format, whole or cut.
rastrum run arena --ticks 24 --seed 7 -q -o good >/dev/null
cd good
for trace in . replay.murk state.cdt gpu.aerogputrace events.trc calls; do
    rastrum report $trace -f -o ../r.html >/dev/null
    "$TOOLS/html_report" ../r.html title headings
done
truncate -s 3000 replay.murk
rastrum report replay.murk -f -o ../r.html >/dev/null || echo "exit $?"
# The header has the version, hence its length.
"$TOOLS/html_report" ../r.html title banner headings |
    sed 's/ 29[0-9][0-9]\([ ,:]\)/ N\1/g; s/, [0-9]* bytes of which/, N bytes of which/'
