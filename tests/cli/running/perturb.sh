# Each tick that goes wrong is found by replay and by diff, and nothing before it is.
set +e
rastrum run arena --ticks 80 --seed 7 -o good --pens murk,cdt --quiet
for what in rng float order drop-command; do
    rastrum run arena --ticks 80 --seed 7 --perturb 60:$what -o $what --pens murk,cdt --quiet
    rastrum replay $what/replay.murk | tail -1 | cut -d ' ' -f 1,2
    rastrum diff good/state.cdt $what/state.cdt 2>&1 | head -1
    grep perturbed $what/run.json
    rastrum record $what/replay.murk --out $what.cdt
    ls $what.cdt 2>/dev/null
done
# The intended commands are recorded: up to and including that tick they are those of the good run.
rastrum cat --type command --to 61 good/replay.murk | sed 's/ offset=[0-9]*//' >asked
for what in rng float order drop-command; do
    rastrum cat --type command --to 61 $what/replay.murk | sed 's/ offset=[0-9]*//' | cmp - asked
done
for run in rng good; do
    rastrum tick $run/state.cdt 60 | grep -o "rng_stream_count=[0-9]*"
done
# Beside the good run its commands make the same fields: it is the recorded hash that differs.
rastrum replay --against good/replay.murk rng/replay.murk | tail -1
rastrum slice --to 9 -o short.murk good/replay.murk >/dev/null
rastrum replay --against short.murk rng/replay.murk | tail -1
rastrum replay --against $GOLDEN/murk/world.murk rng/replay.murk
