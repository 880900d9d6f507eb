# Runs of version 1 mark no ticks in their calls: they open as they did, by the clock, and say so.
# tools/run-v1 was made by the program as it was then:
# run arena --ticks 6 --seed 7 --pens murk,dial9,atf (bad: --perturb 4:drop-command).
cp -r "$TOOLS/run-v1/good" "$TOOLS/run-v1/bad" .
rastrum info good | sed -n '2,3p'
rastrum diff good good || echo "exit $?"
rastrum diff good bad | sed 's/timestamp_ns=[0-9]*/timestamp_ns=T/g' || echo "exit $?"
rastrum diff --quiet --tick-start 2 --tick-end 3 good bad
rastrum diff --quiet --tick-start 4 --tick-end 4 good bad | grep -v '^ '
rastrum bisect --quiet good bad || echo "exit $?"
rastrum verify --deep bad | tail -n 1
echo '--- with one of version 2, whose header names another build'
rastrum run arena --ticks 6 --seed 7 --pens murk,dial9,atf -o new >/dev/null
rastrum diff --quiet --ignore header good new | grep -E '^(result|murk|dial9|atf)' || echo "exit $?"
echo '--- without events, by the times of run.json'
rm bad/events.trc good/events.trc
rastrum diff good bad 2>/dev/null | grep -v '^ ' || echo "exit $?"
