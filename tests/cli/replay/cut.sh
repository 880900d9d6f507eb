# A cut recording is executed up to its end, and the cut is reported.
head -c 450 "$GOLDEN"/murk/world.murk >cut.murk
rastrum replay cut.murk || echo "exit $?"
rastrum replay - <cut.murk || echo "exit $?"
# Tick ids that do not follow each other.
rastrum slice --from 1 --to 3 -o a.murk "$GOLDEN"/murk/world.murk
rastrum slice --from 4 --to 5 -o b.murk "$GOLDEN"/murk/world.murk
rastrum merge -o gap.murk a.murk b.murk
rastrum replay gap.murk || echo "exit $?"
rastrum replay --lenient-ticks gap.murk || echo "exit $?"
