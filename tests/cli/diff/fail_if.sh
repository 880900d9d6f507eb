# Conditions on the figures of two traces: violated is 1 with both numbers, else 0; what is not a
# condition, or names nothing, is 2.
cp "$GOLDEN"/dial9/stacks.trc a.trc
cp "$GOLDEN"/dial9/memory.trc b.trc
cp "$GOLDEN"/murk/all_payloads.murk m.murk
cp "$GOLDEN"/dial9/runtime.trc c.trc
cp "$GOLDEN"/dial9/cut_runtime.trc d.trc
try() {
    status=0
    rastrum diff "$@" a.trc b.trc 2>&1 || status=$?
    echo "exit $status"
}
try --fail-if 'heap[live_samples].value > +0'
try --fail-if 'heap[live_samples].value < 0' --fail-if 'polls.count < -50%'
try --fail-if 'polls.count==1'
try --fail-if 'polls.count > 1'
try --fail-if 'polls.count <= -2' --fail-if 'polls.max_ns < -10%' --fail-if 'task_cpu.polls >= +0'
try --fail-if 'heap_sites.sampled_bytes > +10000%' --quiet
# The records differ: that does not count.
try --profile --fail-if 'polls.count > +0%' | sed -n '1,2p;/^exit/p'
# Not conditions.
for condition in '' 'polls' 'polls.count' 'polls.count > ' 'polls.count > x' 'polls.count > 1.' \
    'polls.count > 1 2' 'polls.count => 1' 'polls.count > +-1' 'polls.count > 1%%' '.count > 1' \
    'polls[0.count > 1' 'polls. > 1' 'polls.count > 1e5'; do
    try --fail-if "$condition" | tail -n 2 | cut -c 1-200
done
# Names.
try --fail-if 'poll.count > 1'
try --fail-if 'polls.counts > 1'
try --fail-if 'polls[7].count > 1'
# Any format; a trace that is cut says so.
rastrum diff --fail-if 'types.commands > +0' m.murk m.murk
rastrum diff --json --fail-if 'types.commands >= 2' m.murk m.murk || echo "exit $?"
rastrum diff --fail-if 'polls.count > 100' c.trc d.trc 2>&1 || echo "exit $?"
