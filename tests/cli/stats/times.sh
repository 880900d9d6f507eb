# One origin: every +T of every table is a place that --from takes, and the record is there; with
# a range in effect, too, +T counts from the trace's first time.
one() { # TRACE RANGE...: each time printed, and the first record from there on
    trace=$1
    shift
    rastrum stats -q --all $tables "$@" "$trace" 2>/dev/null | grep -o ' +[0-9.]*s' |
        tr -d ' ' | sort -u >times
    while read -r at; do
        found=$(rastrum cat -q --time relative --merged --from "$at" --limit 1 "$trace" |
            awk '{ print $2 }')
        [ "$found" = "$at" ] || echo "$trace $*: $at finds $found"
        checked=$((checked + 1))
    done <times
}
checked=0
for trace in "$GOLDEN"/dial9/*.trc "$GOLDEN"/atf/*; do
    [ "$trace" != "${trace%.json*}" ] && continue
    tables= # those of spans and events have the time of every record
    [ "$trace" = "${trace#"$GOLDEN"/atf}" ] || tables='-t unmatched,findings'
    one "$trace"
    begin=$(sed -n 2p times)
    [ -n "$begin" ] && one "$trace" --from "$begin"
    [ -n "$begin" ] && one "$trace" --to "$begin"
done
echo "checked: $checked"

# The other two styles are taken, too.
cp "$GOLDEN"/dial9/clock.trc .
for style in raw relative wall; do
    at=$(rastrum stats -t clock --time $style clock.trc | awk 'NR == 5 { print $1 }')
    echo "$at"
    rastrum cat --time $style --from "$at" --limit 1 --fields realtime_ns clock.trc
done
cp -r "$GOLDEN"/atf/two_threads session
rastrum stats --time wall session || echo "exit $?"
rastrum cat --time wall session || echo "exit $?"
rastrum cat --time relative -F jsonl session || echo "exit $?"
rastrum stats --time relative --json session || echo "exit $?"
rastrum cat --time relative "$GOLDEN"/murk/all_payloads.murk 2>&1 | sed 's/.*murk: //'

# The earliest record need not come first; through a pipe it counts all the same.
rastrum slice -q --from +2us --to +4us "$GOLDEN"/dial9/runtime.trc -o late.trc >/dev/null
rastrum slice -q --to +1us "$GOLDEN"/dial9/runtime.trc -o early.trc >/dev/null
cat late.trc early.trc >both.trc
rastrum cat --time relative -t PollStartEvent -t WakeEventEvent --fields worker_id both.trc
rastrum cat --time relative --from +2us both.trc >file.txt
rastrum cat --time relative --from +2us - <both.trc | cmp - file.txt
rastrum cat --time relative --from +2us --fields worker_id,task_id,span_id both.trc
