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
rastrum verify --strict --deep one/ || echo "exit $?"
rastrum verify --json one | python3 -c '
import json, sys
run = json.load(sys.stdin)
print(run["format"], run["ok"], run["findings"], [part["ok"] for part in run["parts"]])'
echo '--- one of its traces'
rastrum info --input-format cdt one | sed -n 1,2p
rastrum cat --input-format dial9 one
rastrum cat one || echo "exit $?"
rastrum cat --input-format murk one || echo "exit $?"
echo '--- the one that a verb is about'
rastrum tick one 0 | sed -n 1p
rastrum blob --list one | wc -l
rastrum tree one || echo "exit $?"
