# What goes to a file leaves the terminal to the progress, also where it shows the report.
/usr/bin/python3 "$TOOLS/onterm.py" || exit 77
set -- 1
. "$TOOLS/long.sh"
mkfifo out
# The reader of the file takes its time.
show() {
    /usr/bin/python3 "$TOOLS/slowly.py" --piece 8192 60 <out >/dev/null &
    /usr/bin/python3 "$TOOLS/onterm.py" rastrum slice run.murk "$@" --force -o out >shown
    wait
    grep -q 'write: [0-9]' shown && echo progress || echo silent
}
show
