# The whole frames of a replay that is cut are recorded.
set +e
rastrum run arena --ticks 30 --seed 2 -o whole --pens murk --quiet
head -c 5000 whole/replay.murk >cut.murk
rastrum record cut.murk --out state.cdt
status=$?
rastrum verify state.cdt | tail -1
exit $status
