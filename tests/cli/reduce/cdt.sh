# A state trace: ticks go, with all that is in them.
cp "$GOLDEN"/cdt/big-steady.cdt run.cdt
rastrum reduce run.cdt -o min.cdt -- \
    sh -c '[ $(rastrum cat -t tick --where "tick in [3, 17]" "$1" | wc -l) = 2 ]' sh {} |
    sed 's/[0-9]* of [0-9]* bytes/N bytes/'
rastrum cat --type tick --fields tick_index min.cdt
rastrum verify min.cdt
# No reader takes a trace without ticks, so the last one stays.
rastrum reduce --json run.cdt -o one.cdt -- test -s {} | grep -o '"by_type":{"tick":1,'
