# Nothing compared is not ok: exit 2, and what both sides have.
a=$GOLDEN/cdt/big-run-golden.cdt m=$GOLDEN/murk/all_payloads.murk
g=$GOLDEN/aerogpu/two_frames.aerogputrace
echo '--- a range beyond the end, or before the beginning'
rastrum diff --tick-start 3000 "$a" "$a" || echo "exit $?"
rastrum diff --json --tick-start 3000 "$a" "$a" || echo "exit $?"
rastrum diff --from 9 --to 9 "$a" "$a" || echo "exit $?"
rastrum diff --tick-end -1 "$m" "$m" || echo "exit $?"
rastrum diff --tick-start 7 --tick-end 9 "$g" "$g" || echo "exit $?"
rastrum diff -k --tick-start 3000 "$a" "$a" || echo "exit $?"
rastrum diff --tick-start 3000 -o out "$a" "$a" || echo "exit $?"
ls
echo '--- nothing is in them'
for empty in murk/no_frames.murk dial9/no_events.trc atf/empty; do
    [ ! -e "$GOLDEN/$empty" ] || rastrum diff "$GOLDEN/$empty" "$GOLDEN/$empty" || echo "exit $?"
done
echo '--- cut before the first record'
head -c 1000 "$a" >cut.cdt
rastrum diff "$a" cut.cdt || echo "exit $?"
echo '--- bisect'
rastrum bisect --tick-start 3000 "$a" "$a" || echo "exit $?"
cp "$a" good.cdt
cp "$GOLDEN"/cdt/big-run-candidate.cdt bad.cdt
rastrum bisect cut.cdt good.cdt bad.cdt || echo "exit $?"
rastrum bisect --json cut.cdt good.cdt bad.cdt | cut -c 1-160 || echo "exit $?"
echo '--- runs'
for run in one two; do
    "$TOOLS/make-run" $run "$a" "$g" "$GOLDEN/dial9/small.trc"
done
rastrum diff --tick-start 3000 one two || echo "exit $?"
rastrum diff --json --tick-start 3000 one two | grep -o '"status": "[a-z]*"' | sort | uniq -c
