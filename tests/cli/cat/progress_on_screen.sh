# No progress is drawn into the records: not where one terminal shows both, nor under a pager.
/usr/bin/python3 "$TOOLS/onterm.py" || exit 77
set -- 6
. "$TOOLS/long.sh"
mkfifo pipe
show() {
    { cat run.murk; sleep 0.8; tail -c +104 run.murk; } >pipe &
    /usr/bin/python3 "$TOOLS/onterm.py" rastrum cat --fields tick_id "$@" pipe >shown
    grep -q 'MB/s' shown && echo progress || echo silent
}
show
PAGER='cat >/dev/null' show --pager
# A file takes the records, the terminal the progress.
show -o records
