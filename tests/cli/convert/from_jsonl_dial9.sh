# What cat prints of every golden builds a stream that prints the same, with and without schemas.
show() { rastrum cat --format jsonl "$@" 2>err || :; } # some are cut
bare() { sed 's/"offset":[0-9]*,//'; }
count=0
for trace in "$GOLDEN"/dial9/*.trc; do
    case $trace in */big-* | */not_utf8.trc) continue ;; esac
    show "$trace" >a.jsonl
    [ -s a.jsonl ] || continue
    rastrum convert --force --from-jsonl a.jsonl --to dial9 -o b.trc >report || echo "$trace"
    show b.trc | bare >b.jsonl
    bare <a.jsonl | cmp - b.jsonl || echo "$trace"
    count=$((count + 1))
    # One batch at a time: type ids mean nothing beyond it, and neither do schemas.
    show --type schema "$trace" | cat - a.jsonl | grep '"stream":0,' >c.jsonl || continue
    rastrum convert --force --from-jsonl c.jsonl --to dial9 -o d.trc >report || echo "$trace"
    show d.trc | bare >d.jsonl
    grep '"stream":0,' a.jsonl | bare | cmp - d.jsonl || echo "$trace"
done
[ $count -gt 40 ] || echo "only $count"
rastrum cat --format jsonl --type schema "$GOLDEN"/dial9/all_types.trc >types.jsonl
rastrum cat --format jsonl "$GOLDEN"/dial9/all_types.trc >>types.jsonl
rastrum convert --from-jsonl types.jsonl --to dial9 -o types.trc
rastrum cat --format jsonl --type schema types.trc | bare
