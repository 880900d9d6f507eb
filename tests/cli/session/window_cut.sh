# A window whose first events were overwritten is reported by every verb that reads it.
cp -r "$GOLDEN"/atf/two_threads session
windows() {
    python3 - "$@" <<'END'
import json, sys
manifest = json.load(open("session/manifest.json"))
manifest["windows"] = [dict(zip(["startNs", "wholeFromNs"], map(int, w.split(","))))
                       for w in sys.argv[1:]]
json.dump(manifest, open("session/manifest.json", "w"))
END
}
windows 1000 2000
rastrum verify session
windows 0,1500 1000,900
rastrum verify session
windows 1000,1010 1000,1060 1000,1020
rastrum verify session
for verb in info 'cat --limit 1' 'stats -t modules' tree; do
    rastrum $verb session >answer || echo "$verb: exit $?"
done
