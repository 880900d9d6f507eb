# A run directory is ours as far as its run.json lists its files.
rastrum run arena --ticks 2 --json -o run >/dev/null
rastrum run arena --ticks 2 -o run || echo "exit $?"
rastrum run arena --ticks 2 --json -o run --force >/dev/null && echo replaced
rastrum slice "$GOLDEN/atf/two_threads" -o run --force >/dev/null && echo replaced by a session
rastrum run arena --ticks 2 --json -o run --force >/dev/null && echo replaced by a run
cp "$GOLDEN/murk/all_payloads.murk" run/mine.murk
rastrum run arena --ticks 2 -o run --force || echo "exit $?"
rm run/mine.murk
echo '{"pens":{}}' >run/run.json
rastrum run arena --ticks 2 -o run --force || echo "exit $?"
ls -A
