# The same as JSON: rows as wide as their columns, coverage everywhere.
cp "$GOLDEN"/dial9/runtime.trc run.trc
rastrum stats --json run.trc >all
/usr/bin/python3 - <<'P'
import json
doc = json.load(open("all"))
assert list(doc) == ["path", "format", "tables"] and doc["format"] == "dial9"
for name, table in doc["tables"].items():
    assert all(len(row) == len(table["columns"]) for row in table["rows"]), name
    assert table["coverage"], name
P
rastrum stats --json --table polls,scheduling_delays run.trc
