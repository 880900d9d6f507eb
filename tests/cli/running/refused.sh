# A run that is refused is reported, and leaves no files.
set +e
rastrum run
rastrum run arena
rastrum run nowhere -o run
rastrum run arena --ticks 0 -o run
rastrum run arena --ticks 10 --perturb 5 -o run
rastrum run arena --ticks 10 --perturb 5:luck -o run
rastrum run arena --ticks 10 --perturb 11:rng -o run
rastrum run arena --ticks 10 --perturb 0:order -o run
rastrum run arena --ticks 10 --pens murk,svg -o run
rastrum run ref-1 --ticks 10 -o run
rastrum run arena --ticks 10 --recipe no.txt -o run
rastrum run arena --ticks 10 --commands $GOLDEN/cdt/big-run-golden.cdt -o run
rastrum run arena --ticks 10 --commands $GOLDEN/murk/world.murk -o run
printf 'murkworld 1 arena-1\nsize 0 0\n' >zero.txt
rastrum run arena --ticks 10 --recipe zero.txt -o run
ls -A
# Recipes: which file, which line.
: >empty.txt
printf 'murkworld 1 ref-1\nspace square4 65536 65536 wrap\n' >huge.txt
rastrum run arena --ticks 10 --recipe empty.txt -o run
rastrum run arena --ticks 10 --recipe . -o run
rastrum run ref-1 --ticks 10 --recipe huge.txt -o run
rastrum run ref-1 --ticks 10 --recipe zero.txt -o run
rastrum run murk-0.1.9 --ticks 10 --recipe huge.txt -o run
rastrum replay --world-recipe empty.txt $GOLDEN/murk/world.murk
rastrum replay --world-recipe huge.txt $GOLDEN/murk/world.murk
# Commands: a replay without a frame; one whose world is another has no say in the recipe.
rastrum run arena --commands $GOLDEN/murk/no_frames.murk -o run
rastrum run arena --commands $GOLDEN/murk/all_payloads.murk --pens murk -o foreign
rastrum replay foreign/replay.murk
rastrum run ref-1 --commands foreign/replay.murk -o run
rastrum run --world ./missing.so -o run
# A command that cannot be understood: which one.
rastrum run arena --commands $GOLDEN/murk/short_payload.murk -o bad
