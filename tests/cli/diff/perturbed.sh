# Runs that part: all five pens, on the ticks of the run.
rastrum run arena --ticks 90 --seed 7 -o good >/dev/null
for what in rng drop-command; do
    rastrum run arena --ticks 90 --seed 7 --perturb 60:$what -o $what >/dev/null
    rastrum diff good $what | sed 's/timestamp_ns=[0-9]*/timestamp_ns=T/' || echo "exit $?"
    rastrum bisect good $what
done
rastrum diff --json good drop-command | python3 -c '
import json, sys
report = json.load(sys.stdin)
print({name: pen["tick"] for name, pen in report["pens"].items()})'
# What is between bounds; frames have their own numbers.
rastrum diff --tick-end 59 good rng
rastrum diff --tick-start 60 --tick-end 60 good rng | grep -v '^ '
