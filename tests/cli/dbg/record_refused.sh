# A replay that does not come out as recorded is not recorded, nor one whose world has no state.
set +e
rastrum dbg record $GOLDEN/murk/world.murk --out state.cdt; echo $?
rastrum dbg record $GOLDEN/murk/no_frames.murk --out state.cdt; echo $?
rastrum dbg record missing.murk --out state.cdt; echo $?
rastrum run arena --ticks 30 --seed 4 --perturb 20:float -o run --pens murk --quiet
rastrum dbg record run/replay.murk --out state.cdt; echo $?
rastrum dbg record run/replay.murk; echo $?
rastrum dbg record run/replay.murk run/replay.murk --out state.cdt; echo $?
rastrum record --world-recipe x -o dir -- true; echo $?
rastrum dbg record run --out state.cdt; echo $?
ls -A
