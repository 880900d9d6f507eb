# --limit 0 shows no row and counts them all, --all shows all; text and JSON keep to it alike.
t="$GOLDEN"/cdt/big-run-golden.cdt
rastrum query -n 0 "$t" 'ticks where tick_index >= 0'
rastrum query -n 2 "$t" 'ticks where tick_index >= 0'
rastrum query --all "$t" 'ticks where tick_index >= 0' | wc -l
rastrum query --limit 0 --json "$t" 'ticks where tick_index >= 0'
rastrum query --all --json "$t" 'ticks where tick_index >= 0' | grep -o '"truncated": [a-z]*'
rastrum query -n 0 "$t" 'ticks where tick_index > 99' || echo "exit $?"
for verb in cat stats du; do
    rastrum $verb -n 0 "$t" >none
    rastrum $verb --all "$t" >all
    [ "$(wc -l <none)" -lt "$(wc -l <all)" ] || echo "$verb shows something"
done
