# Runs that part: all five pens, on the ticks of the run.
rastrum run arena --ticks 90 --seed 7 -o good >/dev/null
for what in rng drop-command; do
    rastrum run arena --ticks 90 --seed 7 --perturb 60:$what -o $what >/dev/null
    rastrum diff good $what | sed 's/timestamp_ns=[0-9]*/timestamp_ns=T/' || echo "exit $?"
    rastrum bisect good $what || echo "exit $?"
done
rastrum diff --json good drop-command | python3 -c '
import json, sys
report = json.load(sys.stdin)
print({name: pen["tick"] for name, pen in report["pens"].items()})'
# What is between bounds; frames have their own numbers.
rastrum diff --tick-end 59 good rng
rastrum diff --tick-start 60 --tick-end 60 good rng | grep -v '^ '
# Calls alone: they mark their ticks themselves, every one of a run of any length.
for what in 1:rng 9:drop-command; do
    rastrum run arena --ticks 12 --seed 7 --pens atf --perturb $what -o calls$what >/dev/null
done
rastrum run arena --ticks 12 --seed 7 --pens atf -o calls >/dev/null
rastrum diff --tick-end 8 calls calls9:drop-command
rastrum diff --tick-start 9 --tick-end 9 calls calls9:drop-command | head -n 2
rastrum diff --tick-start 10 --tick-end 11 calls calls9:drop-command | head -n 2
for run in long again; do
    rastrum run arena --ticks 1030 --seed 7 --pens atf -o $run >/dev/null
done
rastrum diff --tick-start 3 --tick-end 4 long again
rastrum diff --tick-start 2 --tick-end 4 long again
rastrum diff --tick-start 1030 long again
rastrum diff --tick-start 1031 long again || echo "exit $?"
