# A verb that reports no bytes shows on a terminal that it is alive, and wipes its line.
/usr/bin/python3 "$TOOLS/onterm.py" || exit 77
set -- 1
. "$TOOLS/long.sh"
slow() {
    sleep 1
    cat >/dev/null
}
show() {
    /usr/bin/python3 "$TOOLS/onterm.py" --stderr shown "$@" | slow
    grep -q 'repair: [0-9]* s' shown && echo progress || echo silent
}
show rastrum repair run.murk -o -
tail -c 4 shown | od -c | head -n 1
show rastrum repair --quiet run.murk -o -
show rastrum repair --no-progress run.murk -o -
