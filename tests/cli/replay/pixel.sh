# Which draws changed a pixel, as text and as JSON; a frame that is not there.
t="$GOLDEN"/aerogpu/pictures.aerogputrace
rastrum replay --backend software --pixel 5,5 "$t"
rastrum replay --backend software --json --frame 1 --pixel 5,5 "$t" | grep -o '"pixel".*}\]}'
rastrum replay --backend software --pixel 64,5 "$t" || echo "exit $?"
rastrum replay --pixel 5 "$t" || echo "exit $?"
rastrum replay --frame 99999 "$t" || echo "exit $?"
