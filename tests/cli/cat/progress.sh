# Progress on a terminal when it takes over half a second; never elsewhere.
/usr/bin/python3 "$TOOLS/onterm.py" || exit 77
set -- 6
. "$TOOLS/long.sh"
line='cat: .* MB/s, .* s left'
# The reader takes its time: so many seconds, or until progress is shown.
show() {
    rm -f shown
    seconds=$1
    shift
    /usr/bin/python3 "$TOOLS/onterm.py" --stderr shown "$@" |
        /usr/bin/python3 "$TOOLS/slowly.py" "$seconds" shown "$line" >/dev/null
    grep -q "$line" shown && echo progress || echo silent
}
show 60 rastrum cat run.murk
show 1 rastrum cat --no-progress run.murk
show 1 rastrum cat --quiet run.murk
rastrum cat run.murk 2>said | /usr/bin/python3 "$TOOLS/slowly.py" 1 >/dev/null
wc -c <said
# The line is wiped when the work is done.
show 60 rastrum cat run.murk
tail -c 4 shown | od -c | head -n 1
