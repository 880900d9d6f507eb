# Killed at any point, the next run goes on: every trace is there exactly once.
for seed in 1 2 3 4 5 6 7 8; do
    rastrum run arena --seed $seed --ticks 60 -o run$seed >/dev/null 2>&1
done
python3 -B "$TOOLS/dataset_kills.py" "$(command -v rastrum)" 12 run*/replay.murk run*/state.cdt
