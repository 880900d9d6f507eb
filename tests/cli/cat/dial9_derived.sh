# Polls, segments and spans of a runtime, derived from its events.
cp "$GOLDEN"/dial9/runtime.trc run.trc
cp "$GOLDEN"/dial9/cut_runtime.trc cut.trc
rastrum cat --json --type poll,span_segment,span run.trc
rastrum cat --type poll --where 'duration_ns > 1000 and reason == "ended"' run.trc
rastrum cat --format csv --type span --fields name,segments run.trc
rastrum cat --merged --type poll,PollEndEvent --limit 4 run.trc
rastrum cat --type poll cut.trc >polls.txt || echo "exit $?"
wc -l <polls.txt
cp "$GOLDEN"/dial9/batches.trc none.trc
rastrum cat --type poll none.trc
