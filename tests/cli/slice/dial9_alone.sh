# A slice of a dial9 trace is understood without its source: the clock and the metadata go to its
# head, the symbols of its stacks with it, whatever is selected; --bare omits them.
cat "$GOLDEN"/dial9/clock.trc "$GOLDEN"/dial9/runtime.trc >run.trc
show() { # SLICE: what a colleague sees of it
    rastrum info "$1" | sed -n '/^  producer/p'
    rastrum stats -t clock,stacks "$1" | grep -v '^$' | sed 's/^clock: \(no wall clock\).*/\1/'
    rastrum cat -n 1 --time wall -t CpuSampleEvent --fields worker_id "$1" 2>/dev/null || :
}
rastrum slice --from +1us run.trc -o all.trc
for asked in '--from 1004000ns --to 2s' '--from 12 --to 34 --axis seq' '-t CpuSampleEvent' \
    '--stream 1' '--from 1000001us --to 1000003us' '--bare --from 1004000ns --to 2s'; do
    echo "== $asked"
    rastrum slice -f $asked run.trc -o part.trc && show part.trc
    rastrum verify -q part.trc >/dev/null || echo "verify: $?"
done
echo "== nothing asked for is there: companions alone are no answer"
rastrum slice -f --from 3000s run.trc -o none.trc || echo "exit $?"
echo "== a slice of a slice, and as JSON"
rastrum slice -f --from 1004000ns --to 2s run.trc -o part.trc
rastrum slice -f --from 1004000ns --to 2s part.trc -o again.trc
cmp part.trc again.trc
rastrum slice -f --json --from 1004000ns --to 2s run.trc -o part.trc | sed 's/,"ending.*//'
echo "== many types are counted, -v lists them; merged boots are remarked upon"
rastrum slice -f -v --from +1us run.trc -o all.trc
sed 's/x/x/' "$GOLDEN"/dial9/clock.trc >a.trc
printf '{"type":"ClockSyncEvent","time_ns":77,"values":{"realtime_ns":1800000000000000000}}\n' |
    rastrum convert -q --from-jsonl --to dial9 - -o b.trc
rastrum merge -f a.trc b.trc -o both.trc
rastrum merge -f a.trc a.trc -o both.trc
