# Killed at any point while it prunes, a dataset has each trace once, the old or the new.
mkdir before now_is
for seed in 1 2 3 4 5 6 7 8; do
    rastrum run arena --seed $seed --ticks 60 -o run$seed >/dev/null 2>&1
    cp run$seed/state.cdt before/$seed.cdt
    cp run$seed/replay.murk before/$seed.murk
done
for seed in 2 5 8; do
    rastrum run arena --seed 9$seed --ticks 60 -o other$seed >/dev/null 2>&1
    cp other$seed/state.cdt now_is/$seed.cdt
    cp other$seed/replay.murk now_is/$seed.murk
done
python3 -B "$TOOLS/dataset_kills.py" "$(command -v rastrum)" 16 --prune before now_is
