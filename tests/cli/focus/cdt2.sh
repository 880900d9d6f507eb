# Container 2: the input of a tick is a channel, and callers alone are no difference.
all="$GOLDEN"/cdt/c2_20.cdt
rastrum cat --json --header "$all" | grep -v '"type":"exact"' >lines
sed 's/"aim_x":[-0-9.]*/"aim_x":3.5/' lines >moved
sed 's/"caller":[0-9]*/"caller":7/' lines >called
rastrum convert -q --from-jsonl --to cdt moved -o moved.cdt
rastrum convert -q --from-jsonl --to cdt called -o called.cdt
rastrum focus --tick 0 "$all" moved.cdt || echo "exit $?"
rastrum focus --tick 0 "$all" called.cdt
