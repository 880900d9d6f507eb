# Bytes of every file add up.
cd "$GOLDEN/atf"
rastrum du two_threads
for by in type field stream; do
    rastrum du --by $by --json two_threads | /usr/bin/python3 -c '
import json, sys
doc = json.load(sys.stdin)
assert sum(p["bytes"] for p in doc["parts"]) == doc["size_bytes"], doc'
done
