# The events of a program lie beside its calls, as a trace of their own: counted and checked with
# the session, and named by every verb that leaves them out.
cp -r "$GOLDEN"/atf/two_threads session
cp "$GOLDEN"/dial9/runtime.trc session/events.trc
promise() {
    python3 - "$1" <<'END'
import json, sys
manifest = json.load(open("session/manifest.json"))
manifest["recorder"] = {"complete": True, "threads": [{"id": 0, "events": int(sys.argv[1])}]}
json.dump(manifest, open("session/manifest.json", "w"))
END
}
rastrum info session | sed -n '/^  beside/p'
rastrum info --json session | sed -n '/"beside"/p'
rastrum verify session
for verb in 'cat --limit 1' 'stats -t modules' 'tree --depth 1' du 'slice --stream 0 -o part' \
    'diff session'; do
    echo "== $verb"
    rastrum $verb session >answer || echo "exit $?"
done
echo '== whole, and fewer than were stored'
promise 3
rastrum verify session
promise 1000
rastrum verify session || echo "exit $?"
echo '== cut, empty, and something else'
promise 3
head -c 300 "$GOLDEN"/dial9/runtime.trc >session/events.trc
rastrum info session >answer || echo "exit $?"
rastrum verify session || echo "exit $?"
: >session/events.trc
rastrum info session | sed -n '/^  beside/p'
rastrum verify session || echo "exit $?"
echo rubbish >session/events.trc
rastrum info session >answer || echo "exit $?"
rastrum verify session || echo "exit $?"
