# An array of objects with stable keys.
rastrum formats --json >all
/usr/bin/python3 "$TOOLS/shape.py" <all
/usr/bin/python3 - <<'P'
import json
rows = json.load(open("all"))
murk = [r for r in rows if r["name"] == "murk"][0]
print(murk["dialects"], murk["extensions"], murk["can"])
known = {"read", "stream", "seek", "write", "repair", "replay"}
assert all(set(r["can"]) <= known and "read" in r["can"] for r in rows)
P
