# Damage that both sides have in common is damage: nothing differs, exit 3. `dbg` does not look.
trace=$GOLDEN/aerogpu/stream_broken.aerogputrace
rastrum diff "$trace" "$trace" || echo "exit $?"
for name in second_meta bad_kind twice; do
    trace=$GOLDEN/cdt/$name.cdt
    rastrum diff "$trace" "$trace" || echo "exit $?"
    rastrum dbg diff "$trace" "$trace" || echo "exit $?"
done
rastrum health "$GOLDEN"/cdt/twice.cdt >health.txt || echo "exit $?"
