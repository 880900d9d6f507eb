# The same seed gives the same bytes; another seed others.
set +e
rastrum run arena --ticks 300 --seed 5 -o one --quiet
rastrum run arena --ticks 300 --seed 5 -o two --quiet
rastrum run arena --ticks 300 --seed 6 -o three --quiet
for part in replay.murk state.cdt gpu.aerogputrace; do
    cmp one/$part two/$part
    cmp -s one/$part three/$part && echo "$part is the same for another seed"
done
# The commands of a run give that run, and its state is that of its replay.
rastrum run arena --commands one/replay.murk -o again --pens murk,cdt,aerogpu --quiet
for part in replay.murk state.cdt gpu.aerogputrace; do
    cmp one/$part again/$part
done
rastrum run arena --commands one/replay.murk --ticks 310 -o longer --pens murk --quiet
rastrum replay longer/replay.murk
