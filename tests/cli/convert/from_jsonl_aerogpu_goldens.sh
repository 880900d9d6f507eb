# What cat prints of a golden builds a trace that prints the same; only places may differ.
say() {
    rastrum cat --format jsonl "$1" 2>/dev/null | grep -v '"type":"gap"' |
        sed -E 's/"(seq|offset|start_offset|present_offset|end_offset)":[0-9]+,?//g'
}
count=0
for trace in "$GOLDEN"/aerogpu/*.aerogputrace "$GOLDEN"/aerogpu/*.acmd "$GOLDEN"/aerogpu/*.aloc; do
    case $trace in
    # Ids that repeat, packets that are short, frames closed by another index.
    */blobs_odd.* | */late_stream.* | */packets_odd.* | */frames_odd.*) continue ;;
    # Damaged streams, and an ABI that only a header line contains.
    */stream_broken.* | */submissions_odd.* | */stage_ex_ignored.*) continue ;;
    esac
    say "$trace" >a
    [ -s a ] || continue
    rastrum cat --format jsonl "$trace" 2>/dev/null |
        rastrum convert --quiet --from-jsonl --to aerogpu - -o b --force >report 2>why ||
        grep -q 'not given: zeros stand\|lost, for which' why || cat why # exit 3
    say b | cmp - a || echo "$trace"
    count=$((count + 1))
done
[ $count -ge 30 ] && echo "30 at least are the same"
