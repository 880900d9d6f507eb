# A state trace of container 2 has no gaps: ticks go at both ends, and what is left is valid.
cp "$GOLDEN"/cdt/big-c2.cdt run.cdt
rastrum reduce run.cdt -o min.cdt -- \
    sh -c '[ $(rastrum cat -t tick --where "tick in [3, 5]" "$1" | wc -l) = 2 ]' sh {} |
    sed 's/[0-9]* of [0-9]* bytes/N bytes/'
rastrum cat --type tick --fields tick_index min.cdt
rastrum verify min.cdt
rastrum reduce --json run.cdt -o one.cdt -- test -s {} | grep -o '"by_type":{"tick":1,'
