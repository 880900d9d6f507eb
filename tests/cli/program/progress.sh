# A verb that reports no bytes shows on a terminal that it is alive, and wipes its line.
/usr/bin/python3 "$TOOLS/onterm.py" || exit 77
set -- 1
. "$TOOLS/long.sh"
line='repair: [0-9]* s'
# The reader takes its time: so many seconds, or until progress is shown.
show() {
    rm -f shown
    seconds=$1
    shift
    /usr/bin/python3 "$TOOLS/onterm.py" --stderr shown "$@" |
        /usr/bin/python3 "$TOOLS/slowly.py" --piece 8192 "$seconds" shown "$line" >/dev/null
    grep -q "$line" shown && echo progress || echo silent
}
show 60 rastrum repair run.murk -o -
tail -c 4 shown | od -c | head -n 1
show 1 rastrum repair --quiet run.murk -o -
show 1 rastrum repair --no-progress run.murk -o -
