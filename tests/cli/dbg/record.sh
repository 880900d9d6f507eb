# The state of a replay, as its run has written it.
set +e
rastrum run arena --ticks 90 --seed 4 -o run --pens murk,cdt --quiet
rastrum dbg record run/replay.murk --out state.cdt
cmp state.cdt run/state.cdt
rastrum dbg record run/replay.murk --out state.cdt
echo $?
rastrum dbg record run/replay.murk --out state.cdt --force --json
cp run/replay.murk unnamed
gzip -k run/replay.murk && mv run/replay.murk.gz packed.murk
rastrum dbg record unnamed --out again.cdt | tail -2
cmp state.cdt again.cdt
rastrum dbg record packed.murk --out again.cdt --force | tail -2
cmp state.cdt again.cdt
