# What cannot be executed is never ok.
cd "$GOLDEN"/murk
for trace in all_payloads.murk world_unknown.murk world_hostile.murk no_frames.murk; do
    rastrum replay $trace || echo "exit $?"
done
rastrum replay "$GOLDEN"/cdt/big-run-golden.cdt || echo "exit $?"
rastrum replay --dump-fields world.murk || echo "exit $?"
rastrum replay --until 9 --dump-fields world.murk | tail -n 1
rastrum replay --world ./nothing.so world.murk || echo "exit $?"
rastrum replay --world-recipe nothing world.murk || echo "exit $?"
