# Commands of a replay that is cut: what is whole is played.
set +e
rastrum run arena --ticks 30 --seed 2 -o whole --pens murk --quiet
head -c 5000 whole/replay.murk >cut.murk
rastrum run arena --commands cut.murk -o part --pens murk
status=$?
rastrum replay part/replay.murk
exit $status
