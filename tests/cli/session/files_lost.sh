# A detail.atf or index.atf that the manifest or the header promises and that is not there is lost:
# exit 3 of what reads, an error of verify, and a loss of repair.
for lost in detail index; do
    cp -R "$GOLDEN/atf/two_threads" $lost
    chmod -R u+w $lost
    rm $lost/thread_0/$lost.atf
    for verb in cat info stats; do
        rastrum $verb $lost >out || echo "$verb: exit $?"
    done
    rastrum verify $lost | grep -c 'error: .*detail.atf\|error: .*index.atf'
done
rm detail/manifest.json
rastrum cat detail >out || echo "cat: exit $?"
rastrum repair detail -o repaired >out || echo "repair: exit $?"
rastrum cat repaired >out && echo 'cat: exit 0'
# So are the events of ras_event(), where the manifest says how many were stored.
cp -R "$GOLDEN/atf/two_threads" events
chmod -R u+w events
python3 - <<'END'
import json
manifest = json.load(open("events/manifest.json"))
manifest["recorder"] = {"complete": True, "threads": [{"id": 0, "events": 5}]}
json.dump(manifest, open("events/manifest.json", "w"))
END
rastrum verify events || echo "verify: exit $?"
rastrum cat events >out || echo "cat: exit $?"
