# A path that names nothing is an error: what is near, and where all of them are. Those that name
# something are taken, with an index or without.
c=$GOLDEN/cdt/big-run-golden.cdt m=$GOLDEN/murk/all_payloads.murk d=$GOLDEN/dial9/batches.trc
a=$GOLDEN/atf/two_threads g=$GOLDEN/aerogpu/two_frames.aerogputrace
try() { rastrum diff "$@" || echo "exit $?"; }
try --ignore 'entity_samples.creatures[*].hpp' "$c" "$c"
try --ignore kils "$c" "$c"
try --ignore checkpoint.players.ammo "$c" "$c"
try --tolerance 'sim_stat=1' "$c" "$c"
try --ignore 'players[0].ammo' --ignore bonus_timers --ignore 'bonus_timers["9"]' \
    --ignore 'rng_stream[3].caller' --ignore 'entity_samples.creatures[uid=3].pos' \
    --ignore 'sim_state.players[*].weapon' --ignore checkpoint --ignore 'timing_samples[*]' \
    "$c" "$c"
try --ignore snapshothash "$m" "$m"
try --ignore 'commands[2].coord[1]' --ignore header --tolerance 'commands[*].value=1' "$m" "$m"
try --ignore worker "$d" "$d"
try --ignore Poll.worker_id --ignore where "$d" "$d"
try --ignore functio "$a" "$a"
try --ignore detail.stack --ignore function "$a" "$a"
try --ignore 'packet[*].DRAW' "$g" "$g"
try --ignore 'packets[*].DRAW.vertex_count' "$g" "$g"
try --ignore 'packets[*].DRAW.vertx_count' "$g" "$g"
try --ignore 'submissions[*].memory_ranges[*].gpu' "$g" "$g"
try --ignore 'packets[1].commands[*].0xdead' --ignore 'packets[*].*.payload' "$g" "$g"
echo '--- the same of bisect and of runs'
rastrum bisect --ignore kils "$c" "$c" || echo "exit $?"
for run in one two; do
    "$TOOLS/make-run" $run "$c" "$g" "$d"
done
try --ignore kils one two
try --ignore kills --ignore 'packets[*]' --ignore Poll.worker_id one two | head -n 1
echo '--- all of them'
rastrum diff --paths "$m"
rastrum diff --paths "$c" | grep -c '^entity_samples.creatures'
rastrum diff --paths || echo "exit $?"
