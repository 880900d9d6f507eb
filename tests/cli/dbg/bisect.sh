# The first bad tick and its window, which may begin before the first tick; exit 0 all the same.
cp "$GOLDEN"/cdt/big-run-golden.cdt a.cdt
cp "$GOLDEN"/cdt/big-run-candidate.cdt b.cdt
rastrum slice --to 4 a.cdt -o short.cdt
rastrum dbg bisect a.cdt b.cdt
rastrum dbg bisect --window-before 1 --window-after 0 --json-out r.json a.cdt b.cdt
grep -c . r.json
rastrum dbg bisect --json --tick-end 3 a.cdt b.cdt
rastrum dbg bisect --json a.cdt short.cdt
rastrum dbg bisect a.cdt short.cdt b.cdt || echo "exit $?"
