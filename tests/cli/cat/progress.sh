# Progress on a terminal when it takes over half a second; never elsewhere.
/usr/bin/python3 "$TOOLS/onterm.py" || exit 77
set -- 6
. "$TOOLS/long.sh"
slow() {
    sleep 0.8
    cat >/dev/null
}
show() {
    /usr/bin/python3 "$TOOLS/onterm.py" --stderr shown "$@" | slow
    grep -q 'cat: .* MB/s, .* s left' shown && echo progress || echo silent
}
show rastrum cat run.murk
show rastrum cat --no-progress run.murk
show rastrum cat --quiet run.murk
rastrum cat run.murk 2>said | slow
wc -c <said
# The line is wiped when the work is done.
show rastrum cat run.murk
tail -c 4 shown | od -c | head -n 1
