# The tree of a dial9 trace is that of its samples: callers first, inlined functions below what they
# were inlined into, on and off the CPU apart, by thread, worker, task, spawn location or span.
cp "$GOLDEN"/dial9/runtime.trc run.trc
rastrum tree run.trc
for by in kind thread worker task spawn span; do
    echo "== $by"
    rastrum tree --by $by --folded run.trc
done
echo '== spans'
rastrum tree --by span --folded "$GOLDEN"/dial9/stacks.trc
echo '== options'
rastrum tree --depth 1 run.trc | tail -n +3
rastrum tree --fold-recursion --sort name run.trc | tail -n +3
rastrum tree --from +1ms --to +3ms run.trc
rastrum tree --json --by worker --depth 1 run.trc
echo '== refused'
rastrum tree --thread 1 run.trc || echo "exit $?"
rastrum tree --by task "$GOLDEN"/atf/spans 2>&1 | sed 's/.*spans: //'
rastrum tree --by nobody run.trc || echo "exit $?"
