# Container 2 has each tick between the first and the last, and draws that count from 1: ticks
# without records of the requested types stay, and so do the draws before the selected ones.
cp "$GOLDEN"/cdt/big-c2.cdt all.cdt
for types in creature rng,projectile; do
    rastrum slice --type "$types" all.cdt -f -o some.cdt
    rastrum cat --type tick --fields tick_index some.cdt | wc -l
    rastrum verify some.cdt | grep -v ': note: '
done
rastrum slice --type death all.cdt -o none.cdt || echo "exit status $?"
{
    rastrum cat --json --header "$GOLDEN"/cdt/c2_20.cdt | grep -v '"type":"exact"'
    printf '{"type":"rng","values":{"tick_call_index":2,"value_15":9731,'
    echo '"state_before_u32":1873337846,"state_after_u32":637754593,"caller":null}}'
} >lines
rastrum convert -q --from-jsonl --to cdt lines -o draws.cdt
seq=$(rastrum cat --json --type rng draws.cdt |
    sed -n 's/.*"seq":\([0-9]*\),.*"tick_call_index":2.*/\1/p')
rastrum slice --axis seq --from "$seq" draws.cdt -o second.cdt
rastrum cat --type rng --fields tick_call_index second.cdt
rastrum verify second.cdt | grep -v ': note: '
