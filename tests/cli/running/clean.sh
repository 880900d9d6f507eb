# What this program writes breaks no rule: no errors, no warnings, no notes, of any world and pen,
# nor does its output after slicing, joining, converting and repairing. (A command of the replay
# that the last world is given has expired.)
cat >ref.txt <<'END'
murkworld 1 ref-1
space square4 4 4 wrap
dt 3ff0000000000000
entities 4
field one pertick 1
field two sparse 1
param 1 3ff0000000000000
prop digest 0
prop noise 1 3f800000
END
clean() {
    rastrum verify --strict --deep --json "$1" | python3 -c '
import json, sys
report = json.load(sys.stdin)
for part in report.get("parts", []) + [report]:
    for finding in part["findings"]:
        print(sys.argv[1], finding["rule"], finding["text"])' "$1"
}
rastrum run arena --ticks 60 --seed 3 -o arena >/dev/null
rastrum run ref-1 --recipe ref.txt --ticks 60 --seed 3 -o ref >/dev/null
rastrum run murk-0.1.9 --commands "$GOLDEN/murk/world.murk" -o murk >/dev/null
for run in arena ref murk; do
    clean $run
    ls $run
done
rastrum record arena/replay.murk --out again.cdt >/dev/null
clean again.cdt
for file in replay.murk state.cdt gpu.aerogputrace; do
    rastrum slice --from 10 --to 20 -o first.${file#*.} arena/$file >/dev/null 2>&1
    rastrum slice --from 20 --to 30 -o second.${file#*.} arena/$file >/dev/null 2>&1
    rastrum merge -o both.${file#*.} first.${file#*.} second.${file#*.} >/dev/null 2>&1
    clean first.${file#*.}
    clean both.${file#*.}
done
# Events and calls of ticks 10 to 19, by their numbers.
python3 - <<'PY' >bounds
import struct
data = open("arena/ticks.idx", "rb").read()
size, columns = struct.unpack_from("<II", data, 8)
rows = [struct.unpack_from("<%dQ" % columns, data, at)
        for at in range(size, len(data), 8 * columns)]
print(rows[8][4] + 1, rows[18][4] + 1, rows[9][5], rows[19][5])
PY
read -r from to call_from call_to <bounds
rastrum slice --axis seq --from $from --to $to -o part.trc arena/events.trc >/dev/null 2>&1
rastrum slice --axis seq --from $call_from --to $call_to -o part arena/calls >/dev/null 2>&1
rastrum merge -o both.trc part.trc arena/events.trc >/dev/null
rastrum merge -o both part arena/calls >/dev/null
rastrum convert --to seed -o seed.trc arena/events.trc >/dev/null 2>&1
for made in part.trc part both.trc both seed.trc; do
    clean $made
done
# What is repaired breaks no rule that the cut trace does not.
for file in replay.murk events.trc; do
    size=$(wc -c <arena/$file)
    head -c $((size * 2 / 3)) arena/$file >part.${file#*.}
    clean part.${file#*.} | cut -d ' ' -f 2 | sort >broken
    rastrum repair -o repaired.${file#*.} part.${file#*.} >/dev/null 2>&1 || true
    clean repaired.${file#*.} | grep -v -w -F -f broken || true
done
