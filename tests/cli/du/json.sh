# Kinds, names, and bytes that add up.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
rastrum du --json run.murk >all
/usr/bin/python3 "$TOOLS/shape.py" <all
/usr/bin/python3 - <<'P'
import json
doc = json.load(open("all"))
assert sum(p["bytes"] for p in doc["parts"]) == doc["size_bytes"] == 583
assert {p["kind"] for p in doc["parts"]} <= {"type", "pool", "index", "padding", "header"}
P
