# As crimson dbg: the first divergence goes to standard error; nothing compared is ok.
cp "$GOLDEN"/cdt/big-run-golden.cdt a.cdt
cp "$GOLDEN"/cdt/big-run-candidate.cdt b.cdt
rastrum dbg diff a.cdt a.cdt
rastrum dbg diff --tick-end 5 a.cdt b.cdt || echo "exit $?"
rastrum dbg diff --json-out new/folder/report.json a.cdt b.cdt 2>/dev/null || echo "exit $?"
tail -c 3 new/folder/report.json | od -An -c
rastrum dbg diff --json a.cdt a.cdt
rastrum dbg diff --tick-start 3000 a.cdt b.cdt
rastrum dbg bisect --tick-start 3000 a.cdt b.cdt
rastrum dbg diff --json --tick-start 3000 a.cdt b.cdt
rastrum dbg diff --channel rng_stream a.cdt b.cdt || echo "exit $?"
echo '--- other formats'
m="$GOLDEN"/murk/all_payloads.murk
rastrum dbg diff a.cdt "$m" || echo "exit $?"
rastrum dbg diff "$m" "$m" || echo "exit $?"
echo '--- its verbs'
rastrum dbg || echo "exit $?"
rastrum dbg dif a.cdt b.cdt || echo "exit $?"
rastrum help dbg | sed -n '/^Verbs/,/^$/p'
rastrum help dbg bisect | head -n 1
rastrum dbg bisect --help | head -n 1
