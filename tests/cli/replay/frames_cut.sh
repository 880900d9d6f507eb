# A trace that was cut is shown as far as it goes.
t="$GOLDEN"/aerogpu/pictures.aerogputrace
head -c 1000 "$t" >cut
rastrum replay cut || echo "exit $?"
rastrum replay --frame 0 cut
head -c 700 "$t" >cut
rastrum replay cut || echo "exit $?"
rastrum replay "$GOLDEN"/aerogpu/late_stream.aerogputrace || echo "exit $?"
rastrum replay "$GOLDEN"/aerogpu/submissions_odd.aerogputrace || echo "exit $?"
