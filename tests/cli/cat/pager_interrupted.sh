# Ctrl-C is for the pager: all of the answer reaches it.
/usr/bin/python3 "$TOOLS/onterm.py" || exit 77
cp "$GOLDEN"/murk/config_unset.murk run.murk
export PAGER='kill -INT $PPID; sleep 0.3; kill -INT $PPID; sed s/^/paged:/'
for how in --quiet --follow; do
    [ $how = --quiet ] || export PAGER='kill -INT $PPID; sleep 0.3; head -n 1 | sed s/^/paged:/'
    /usr/bin/python3 "$TOOLS/onterm.py" rastrum cat $how --pager --color never --fields tick_id \
        run.murk || echo "exit $?"
done
