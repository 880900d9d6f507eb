# $PAGER only when asked for, and only on a terminal.
/usr/bin/python3 "$TOOLS/onterm.py" || exit 77
cp "$GOLDEN"/murk/config_unset.murk run.murk
export PAGER='sed s/^/paged:/'
/usr/bin/python3 "$TOOLS/onterm.py" rastrum cat --color never --fields tick_id --pager run.murk
/usr/bin/python3 "$TOOLS/onterm.py" rastrum cat --color never --fields tick_id run.murk
rastrum cat --fields tick_id --pager run.murk
PAGER=no-such-pager
/usr/bin/python3 "$TOOLS/onterm.py" rastrum cat --pager run.murk >shown || echo "exit $?"
tail -n 1 shown
# Whether it is seen before the first write or after the last, or in the midst of them.
rastrum run arena --ticks 200 --pens murk --quiet -o long >/dev/null
/usr/bin/python3 "$TOOLS/onterm.py" rastrum cat --pager long/replay.murk >shown || echo "exit $?"
tail -n 1 shown
# Quitting the pager is silent.
PAGER='head -n 1'
/usr/bin/python3 "$TOOLS/onterm.py" rastrum cat --color never --pager long/replay.murk | cut -c 1-20
