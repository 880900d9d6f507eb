# Functions in focus, left out, or with their callers; calls, open calls and samples alike.
cp -r "$GOLDEN"/atf/two_threads session
rastrum tree --callers read_line session
rastrum tree --callers 'read_*' --by-thread --folded session
rastrum tree --focus 'weird*' session
rastrum tree --exclude 'weird*' --folded session
rastrum tree --json --exclude main --focus 'weird*' --callers read_line session
echo '== open'
cp -r "$GOLDEN"/atf/spans spans
rastrum tree --open --focus 0x0000000500000001 spans
rastrum tree --open --exclude 0x0000000500000005 spans
rastrum tree --open --focus 0x0000000500000004 spans
echo '== samples'
cp "$GOLDEN"/dial9/runtime.trc run.trc
rastrum tree --callers leaf --by worker run.trc | tail -n +3
rastrum tree --focus inlined --folded run.trc
rastrum tree --exclude main --folded run.trc
echo '== refused'
rastrum tree --callers raed_line session || echo "exit $?"
rastrum tree --exclude 'nobody*' session || echo "exit $?"
rastrum tree --focus laef run.trc || echo "exit $?"
rastrum tree --open --callers main session || echo "exit $?"
