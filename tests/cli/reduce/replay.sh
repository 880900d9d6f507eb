# A desync is shrunk to the ticks up to it: those after it go, those before decide what it is.
rastrum run arena --ticks 20 --seed 7 --perturb 8:rng -o bad >run.txt
rastrum reduce bad/replay.murk -o min.murk --replay --quiet |
    sed "s/, [0-9]* of [0-9]* bytes/, N of N bytes/" # the header has the version, of any length
rastrum replay bad/replay.murk | tail -n 1 >whole.txt
rastrum replay min.murk | tail -n 1 | cmp - whole.txt && echo "the same mismatch"
rastrum cat --depth 0 --fields tick_id min.murk | tail -n 1
rastrum run arena --ticks 10 --seed 7 -o good >run.txt
rastrum reduce good/replay.murk -o m.murk --replay || echo "exit $?"
rastrum reduce good/replay.murk -o m.murk --replay -- true {} || echo "exit $?"
rastrum reduce "$GOLDEN/dial9/all_types.trc" -o m.murk --replay || echo "exit $?"
