# On a terminal one line shows how the trace shrinks; it is gone in the end.
/usr/bin/python3 "$TOOLS/onterm.py" || exit 77
cp "$GOLDEN"/murk/big-steady.murk run.murk
/usr/bin/python3 "$TOOLS"/onterm.py rastrum reduce -j1 run.murk -o min.murk -- \
    sh -c 'sleep 0.12; rastrum cat --where "tick == 40" "$1"' sh {} >shown
tr '\r' '\n' <shown | grep -o 'reduce: [0-9]* of 300 records left, [0-9]* tests.*' | sort -u >lines
[ "$(wc -l <lines)" -gt 3 ] && echo shown
grep -q 'now without [0-9]* \(frames\|records\)' lines && echo parts
/usr/bin/python3 "$TOOLS"/onterm.py \
    rastrum reduce -q --force run.murk -o min.murk -- test -s {} >shown
grep -c 'records left' shown || :
