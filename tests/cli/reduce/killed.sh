# Interrupted, it leaves the best so far; killed outright, what was found. Both go on.
cp "$GOLDEN"/murk/big-steady.murk run.murk
slow='[ -e hurry ] || sleep 0.05; rastrum cat -t command --where "tick in [40]" "$1"'
rastrum reduce -q -j2 run.murk -o min.murk -- sh -c "$slow" sh {} >/dev/null &
until [ "$(tail -c 1 min.murk.reduce 2>/dev/null)" = 1 ] &&
      [ "$(tail -n 1 min.murk.reduce | wc -c)" -gt 4 ]; do
    sleep 0.02
done
kill -TERM $!
wait $! 2>/dev/null || [ $? = 143 ] && echo terminated
rastrum verify min.murk | grep -o 'ok: 0 errors, 0 warnings'
rastrum reduce -q -j2 run.murk -o min.murk -- sh -c "$slow" sh {} >/dev/null &
known=$(wc -c <min.murk.reduce)
until [ "$(wc -c <min.murk.reduce)" -gt "$known" ]; do
    sleep 0.02
done
kill -KILL $!
wait $! 2>/dev/null || [ $? = 137 ] && echo killed
touch hurry
rastrum reduce -q -j2 run.murk -o min.murk -- sh -c "$slow" sh {}
rastrum reduce -q -j2 run.murk -o again.murk -- sh -c "$slow" sh {}
cmp min.murk again.murk
ls
