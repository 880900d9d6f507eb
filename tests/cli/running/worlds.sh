# Other worlds, with the pens that they can feed.
set +e
cat >ref.txt <<'END'
murkworld 1 ref-1
space square4 4 4 wrap
dt 3ff0000000000000
entities 4
field one pertick 1
field two sparse 1
param 1 3ff0000000000000
prop digest 0
prop noise 1 3f800000
END
rastrum run ref-1 --ticks 20 --seed 3 --recipe ref.txt -o ref
ls ref
rastrum replay ref/replay.murk
rastrum verify ref/replay.murk ref/events.trc
rastrum run ref-1 --ticks 20 --recipe ref.txt -o state --pens cdt
rastrum run ref-1 --ticks 20 --recipe ref.txt -o wrong --perturb 5:float
rastrum run ref-1 --ticks 20 --recipe ref.txt -o lost --perturb 5:drop-command
# A recording's own recipe, seed and commands.
rastrum run murk-0.1.9 --commands $GOLDEN/murk/world.murk -o golden --pens murk --json
rastrum replay golden/replay.murk
rastrum run murk-0.1.9 --commands $GOLDEN/murk/world.murk -o lossy --pens murk \
    --perturb 1:drop-command
rastrum replay lossy/replay.murk | tail -1
ls -A
