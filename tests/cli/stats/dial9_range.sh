# Within a range of time polls are those that begin and end there; symbols, at time 0, stay.
cp "$GOLDEN"/dial9/runtime.trc run.trc
rastrum stats --from 1000001000 --to 1000003000 -t polls,spans,scheduling_delays run.trc
rastrum stats --from 1004000000 --to 1007000000 -t stacks run.trc
# By seq it is what cat has there: as many of each type, whatever their times are; but symbols,
# which are in any range.
for range in '--from 3' '--to 12' '--from 5 --to 20'; do
    rastrum stats --axis seq $range -t types --json run.trc >counts
    rastrum cat --axis seq $range --json run.trc >records
    /usr/bin/python3 - "$range" <<'END' || echo "$range: differs"
import collections, json, sys
table = json.load(open("counts"))["tables"]["types"]
at = [table["columns"].index(c) for c in ("type", "records")]
told = {row[at[0]]: row[at[1]] for row in table["rows"] if row[at[0]] != "SymbolTableEntry"}
want = collections.Counter(json.loads(line)["type"] for line in open("records"))
del want["SymbolTableEntry"]
print(sys.argv[1], sum(want.values()), told == dict(want) or (told, want))
END
done
rastrum stats --axis seq --from 3 --to 12 -t polls run.trc
