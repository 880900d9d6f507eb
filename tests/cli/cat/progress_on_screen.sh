# No progress is drawn into the records: not where one terminal shows both, nor under a pager.
/usr/bin/python3 "$TOOLS/onterm.py" || exit 77
set -- 6
. "$TOOLS/long.sh"
mkfifo pipe
# What is written takes its time: so many seconds, or until progress is shown.
show() {
    rm -f shown
    /usr/bin/python3 "$TOOLS/slowly.py" "$1" shown MB/s <run.murk >pipe &
    shift
    /usr/bin/python3 "$TOOLS/onterm.py" rastrum cat --fields tick_id "$@" pipe >shown
    grep -q 'MB/s' shown && echo progress || echo silent
}
show 1
PAGER='cat >/dev/null' show 1 --pager
# A file takes the records, the terminal the progress.
show 60 -o records
