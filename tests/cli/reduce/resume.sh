# A reduction that stops at its bound goes on with the same command, and comes to the same end.
cp "$GOLDEN"/murk/big-steady.murk run.murk
odd='echo t >>count; [ $(rastrum cat -t command --where "tick in [9, 40, 77]" "$1" | wc -l) -ge 4 ]'
rastrum reduce -j1 run.murk -o whole.murk -- sh -c "$odd" sh {}
wc -l <count
rm count
rastrum reduce -j1 --max-tests 9 run.murk -o min.murk -- sh -c "$odd" sh {}
wc -l <count
ls
rastrum verify min.murk | tail -n 1
# Another command does not take up what this one found.
rastrum reduce run.murk -o min.murk -- true {} || echo "exit $?"
rastrum reduce -j1 --json run.murk -o min.murk -- sh -c "$odd" sh {}
wc -l <count
ls
cmp whole.murk min.murk
# The end leaves nothing to take up, so the result is not replaced unasked.
rastrum reduce -j1 run.murk -o min.murk -- sh -c "$odd" sh {} || echo "exit $?"
rastrum reduce --force -j1 run.murk -o min.murk -- sh -c "$odd" sh {}
