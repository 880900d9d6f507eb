# A slice of frames replays by itself, a bare one says what it lacks.
t="$GOLDEN"/aerogpu/pictures.aerogputrace
rastrum replay --frame 1 --backend software "$t"
rastrum slice --from 1 --to 2 "$t" -o alone.aerogputrace
rastrum replay --backend software alone.aerogputrace
rastrum verify --strict --deep alone.aerogputrace
rastrum slice --from 1 --to 2 alone.aerogputrace -o again.aerogputrace
cmp alone.aerogputrace again.aerogputrace && echo same
rastrum slice --json --from 1 --to 2 "$t" -o json.aerogputrace | grep -o '"companions":{[^}]*}'
rastrum slice --bare --from 1 --to 2 "$t" -o bare.aerogputrace
rastrum replay --backend software bare.aerogputrace || echo "exit $?"
