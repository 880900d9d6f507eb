# The first bad tick and its window, which may begin before the first tick; several good runs.
cp "$GOLDEN"/cdt/big-run-golden.cdt a.cdt
cp "$GOLDEN"/cdt/big-run-candidate.cdt b.cdt
rastrum slice --to 4 a.cdt -o short.cdt
rastrum bisect a.cdt b.cdt || echo "exit $?"
rastrum bisect --window-before 1 --window-after 0 --json-out r.json a.cdt b.cdt || echo "exit $?"
grep -c . r.json
rastrum bisect --json --tick-end 3 a.cdt b.cdt || echo "exit $?"
rastrum bisect a.cdt short.cdt b.cdt || echo "exit $?"
rastrum bisect --json --tick-end 4 --jobs 1 a.cdt short.cdt b.cdt || echo "exit $?"
rastrum bisect b.cdt a.cdt b.cdt || echo "exit $?"
