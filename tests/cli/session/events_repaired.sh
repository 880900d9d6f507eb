# The events beside the calls are repaired with them, as the trace that they are.
cp -r "$GOLDEN"/atf/two_threads session
head -c 300 "$GOLDEN"/dial9/runtime.trc >session/events.trc
cp session/events.trc before
rastrum repair session -o whole || echo "exit $?"
rastrum verify whole
rastrum repair -q --in-place session >/dev/null || echo "exit $?"
cmp session/events.trc whole/events.trc && echo same
rastrum repair -q --undo session.undo.json session >/dev/null || echo "exit $?"
cmp session/events.trc before && echo back
