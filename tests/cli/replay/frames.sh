# Frames of GPU commands: all, one alone, up to a draw, as JSON, as files.
t="$GOLDEN"/aerogpu/pictures.aerogputrace
rastrum replay "$t"
rastrum replay --frame 1 "$t"
rastrum replay --frame 1 --until-draw 2 --backend gles "$t"
rastrum replay --until-draw 1 --size 100x50 "$t"
rastrum replay --json --png made "$t" | sed "s|$GOLDEN|GOLDEN|"
ls made
rastrum replay --frame 2 "$t" || echo "exit $?"
rastrum replay --frame 0 --until-draw 2 "$t" || echo "exit $?"
rastrum replay --json --until-draw 3 "$t" >answer || echo "exit $?"
tail -c 19 answer
cd "$GOLDEN"/aerogpu
rastrum replay submission.aerogputrace stream_in_packet.aerogputrace
rastrum replay - <"$t"
