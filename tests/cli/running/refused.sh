# What cannot be run is told, and leaves nothing.
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
