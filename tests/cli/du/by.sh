# By field, frame and stream; no other way.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
for by in type field frame stream; do
    echo "$by:"
    rastrum du --by $by run.murk | tail -n +3
    rastrum du --by $by --json run.murk | /usr/bin/python3 -c '
import json, sys
doc = json.load(sys.stdin)
assert sum(p["bytes"] for p in doc["parts"]) == doc["size_bytes"]'
done
rastrum du --by colour run.murk
