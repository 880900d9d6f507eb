# Statistics of two runs side by side, what changed most first; every figure is that of stats.
cp "$GOLDEN"/dial9/runtime.trc before.trc
rastrum slice --quiet --from +2ms before.trc -o after.trc >made
rastrum diff --profile before.trc after.trc >text || echo "exit $?"
sed -n '/^polls_by_location/,/^$/p' text
rastrum diff --profile --json before.trc after.trc >diff.json || echo "exit $?"
rastrum stats --json before.trc >a.json
rastrum stats --json after.trc >b.json
python3 - <<'END'
import json
stats = [json.load(open(name))["tables"] for name in ("a.json", "b.json")]
names = {"polls_by_location": "spawn_loc", "tasks": "spawn_loc", "scheduling_delays": "delay",
         "spans": "span"}
tables = json.load(open("diff.json"))["tables"]
for name, table in tables.items():
    assert len(set(table["columns"])) == len(table["columns"]), (name, table["columns"])
    assert all(len(row) == len(table["columns"]) for row in table["rows"]), name
for name, key in names.items():
    table = tables[name]
    sides = [{json.dumps(r[0]): dict(zip(s[name]["columns"], r)) for r in s[name]["rows"]}
             for s in stats]
    assert {json.dumps(r[0]) for r in table["rows"]} == set(sides[0]) | set(sides[1]), name
    changes = []
    for row in table["rows"]:
        cells = dict(zip(table["columns"], row))
        for figure in ("total", "count", "p50", "p99", "max"):
            unit = "" if figure == "count" else "_ns"
            a, b = (side.get(json.dumps(row[0]), {}).get(figure + unit) for side in sides)
            assert cells[figure + unit] == a and cells[figure + "_actual" + unit] == b, (row, a, b)
            assert cells[figure + "_change" + unit] == (b or 0) - (a or 0)
        changes.append(-abs(cells["total_change_ns"]))
    assert changes == sorted(changes), name
print("figures agree")
END
