# A run directory: what run.json says, then each of its traces.
"$TOOLS/make-run" one "$GOLDEN/cdt/big-run-golden.cdt" \
    "$GOLDEN/aerogpu/two_frames.aerogputrace" "$GOLDEN/dial9/small.trc"
rastrum info one | sed -n 1,14p
rastrum info --json one | python3 -c '
import json, sys
run = json.load(sys.stdin)
print(sorted(run), run["format"], run["run"]["seed"])
for part in run["parts"]:
    print(part["path"], part["format"], part.get("error"), part.get("size_bytes"))'
rastrum verify --strict --deep one || echo "exit $?"
rastrum verify --json one | python3 -c '
import json, sys
run = json.load(sys.stdin)
print(run["format"], run["ok"], run["findings"], [part["ok"] for part in run["parts"]])'
echo '--- as a trace'
rastrum info --input-format cdt one || echo "exit $?"
