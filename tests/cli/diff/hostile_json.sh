# Whatever files are called, JSON can be read by strict readers.
name=$(printf 'a"b\\\033\302\233\377')
cp "$GOLDEN"/cdt/big-run-golden.cdt "$name.cdt"
cp "$GOLDEN"/cdt/big-run-candidate.cdt "$name.2.cdt"
read_json() {
    python3 -c '
import json, sys
def no(word):
    raise ValueError(word)
d = json.loads(sys.stdin.buffer.read(), parse_constant=no)
print(sorted(d))'
}
rastrum diff --json "$name.cdt" "$name.2.cdt" | read_json
rastrum bisect --json "$name.cdt" "$name.cdt" "$name.2.cdt" | read_json
rastrum focus --json --tick 6 "$name.cdt" "$name.2.cdt" | read_json
rastrum tick --json "$name.cdt" 6 | read_json
rastrum entity --json 0 "$name.cdt" "$name.2.cdt" | read_json
rastrum query --json "$name.cdt" 'ticks where tick_index == 3' | read_json
rastrum health --json "$name.cdt" | read_json
rastrum diff --json --paranoid "$GOLDEN"/cdt/floats.cdt "$GOLDEN"/cdt/floats.cdt | read_json
rastrum run arena --ticks 3 --seed 4 -o "run$name" --pens murk --quiet >/dev/null
rastrum record --json "run$name/replay.murk" --out "$name.3.cdt" | read_json
rastrum diff "$name.cdt" "$name.no.cdt" 2>&1 | tr -d '\n' | od -An -c | grep -c '033' || true
