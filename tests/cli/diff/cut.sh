# A cut trace is compared up to its end: exit 3; earlier differences are reported.
whole=$GOLDEN/dial9/batches.trc
size=$(wc -c <"$whole")
head -c $((size - 3)) "$whole" >cut.trc
rastrum diff "$whole" cut.trc || echo "exit $?"
rastrum diff cut.trc "$whole" || echo "exit $?"
rastrum diff cut.trc "$GOLDEN"/dial9/small.trc || echo "exit $?"
rastrum bisect "$whole" cut.trc || echo "exit $?"
cp -r "$GOLDEN"/atf/two_threads whole
cp -r whole cut
chmod -R u+w cut
head -c 210 whole/thread_1/index.atf >cut/thread_1/index.atf
rastrum diff whole cut || echo "exit $?"
rastrum diff cut whole || echo "exit $?"
rastrum diff cut "$GOLDEN"/atf/spans || echo "exit $?"
rastrum diff "$whole" whole || echo "exit $?"
# A cut after the first difference is reported as well.
for names in cut_frame.murk:ticks_odd.murk cut_record.aerogputrace:appendix_a.aerogputrace; do
    cp "$GOLDEN"/*/"${names%:*}" cut.part
    cp "$GOLDEN"/*/"${names#*:}" other.part
    rastrum diff --quiet cut.part other.part 2>&1 | cut -c 1-60
    rastrum diff cut.part other.part >/dev/null 2>&1 || echo "exit $?"
    rastrum diff other.part cut.part >/dev/null 2>&1 || echo "exit $?"
done
