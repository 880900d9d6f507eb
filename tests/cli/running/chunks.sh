# State that is cut short is lost from its last chunk on: a few ticks, not hundreds.
rastrum run arena --ticks 120 --seed 7 --pens cdt -o run >/dev/null
size=$(wc -c <run/state.cdt)
for part in 2 4 8; do
    head -c $((size / part)) run/state.cdt >cut.cdt
    rastrum info --json cut.cdt 2>/dev/null | python3 -c '
import json, sys
part = int(sys.argv[1])
info = json.load(sys.stdin)
ticks = info["records"]["by_type"]["tick"]
print("1 /", part, ticks % 16 == 0, ticks + 32 >= 120 // part)' $part
done
