# Records are of a tick by their order: whatever times they have, diff says the same.
rastrum run arena --ticks 90 --seed 7 --pens murk,dial9,atf -o good >/dev/null
rastrum run arena --ticks 90 --seed 7 --pens murk,dial9,atf --perturb 60:drop-command \
    -o bad >/dev/null
report() {
    rastrum diff "$@" | sed 's/timestamp_ns=[0-9]*/timestamp_ns=T/g'
    rastrum diff --tick-start 61 --tick-end 75 "$@" | sed 's/timestamp_ns=[0-9]*/timestamp_ns=T/g'
}
report good bad >expected
grep -v '^ ' expected
for seed in 1 2 3 4 5; do
    rm -rf one two
    cp -r good one
    cp -r bad two
    "$TOOLS/move-times.py" one "$seed"
    "$TOOLS/move-times.py" two "x$seed"
    report one two >got
    cmp expected got
    # Without the index the marks in the traces are used.
    rm one/ticks.idx
    report --quiet one two >got
    cmp expected got
done
# An index that does not belong to its traces is reported and not used.
rm -r two
cp -r bad two
cp good/ticks.idx two/ticks.idx
rastrum verify two | grep run.order
rastrum verify --strict --quiet one | grep run.order
rastrum diff one two >/dev/null || echo "exit $?"
# Nothing lies between the ticks of a world.
rastrum diff --outside good bad | grep -v '^ ' || echo "exit $?"
rastrum diff --outside good/replay.murk bad/replay.murk || echo "exit $?"
