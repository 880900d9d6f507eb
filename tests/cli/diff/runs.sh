# Two run directories are compared pen by pen, and their divergences put on one axis.
golden=$GOLDEN/cdt/big-run-golden.cdt other=$GOLDEN/cdt/big-run-candidate.cdt
"$TOOLS/make-run" one "$golden" "$GOLDEN/aerogpu/two_frames.aerogputrace" \
    "$GOLDEN/dial9/small.trc" "$GOLDEN/atf/two_threads"
"$TOOLS/make-run" same "$golden" "$GOLDEN/aerogpu/two_frames.aerogputrace" \
    "$GOLDEN/dial9/small.trc" "$GOLDEN/atf/two_threads"
SEED=8 "$TOOLS/make-run" two "$other" "$GOLDEN/aerogpu/two_frames.aerogputrace" \
    "$GOLDEN/dial9/resets.trc"
echo '--- the same'
rastrum diff one same || echo "exit $?"
echo '--- other state, other events, no calls'
rastrum diff one two || echo "exit $?"
echo '--- bounds are ticks'
rastrum diff --tick-end 4 --ignore v one two || echo "exit $?"
echo '--- bisect'
rastrum bisect one two || echo "exit $?"
rastrum bisect one same two || echo "exit $?"
echo '--- what varies is not compared'
VARIES=v "$TOOLS/make-run" loose "$golden" "$GOLDEN/aerogpu/two_frames.aerogputrace" \
    "$GOLDEN/dial9/resets.trc" "$GOLDEN/atf/two_threads"
rastrum diff one loose | grep dial9
echo '--- json'
rastrum diff --json one two | python3 -c '
import json, sys
report = json.load(sys.stdin)
print(sorted(report), report["status"], report["first_divergent_tick"])
for name in sorted(report["pens"]):
    pen = report["pens"][name]
    print(name, pen["status"], pen.get("tick"), pen.get("error"))'
rastrum bisect --json one same two | python3 -c '
import json, sys
report = json.load(sys.stdin)
print(report["nearest"])
for pair in report["candidates"]:
    print(pair["path"], pair["status"], pair["first_bad_tick"], pair["window_start"], sorted(pair))'
echo '--- usage'
rastrum diff one two/state.cdt || echo "exit $?"
rastrum diff one || echo "exit $?"
rastrum diff one same two || echo "exit $?"
echo "--- nothing to compare"
mkdir bare && echo '{"pens":{}}' >bare/run.json
rastrum diff bare bare || echo "exit $?"
rastrum bisect bare bare || echo "exit $?"
rastrum diff --json bare bare || echo "exit $?"
