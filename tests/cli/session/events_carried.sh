# The events beside the calls go along: a slice has those of its time, a merge joins them, a
# conversion has all; what the manifest counts is what is there.
record() { # SESSION FIRST-THREAD EVENTS-OF-THREAD...
    sed 's/^/{"type":"Note","time_ns":/; s/$/,"values":{"text":"tick"}}/' >lines <<EOF
1000
1020
1040
1060
EOF
    rastrum convert -q --from-jsonl lines --to dial9 -o $1/events.trc >answer
    python3 - "$@" <<'EOF'
import json, sys
name, base, counts = sys.argv[1], int(sys.argv[2]), [int(n) for n in sys.argv[3:]]
path = name + "/manifest.json"
manifest = json.load(open(path))
threads = [{"id": base + i, "os_tid": 70 + i, "name": f"worker {base + i}", "produced": 8,
            "stored": 8, "dropped": 0, "details": 2, "details_dropped": 0, "events": n,
            "events_dropped": 0} for i, n in enumerate(counts)]
manifest["recorder"] = {"version": "1", "complete": True, "threads": threads}
manifest["later"] = 1
json.dump(manifest, open(path, "w"), indent=1)
EOF
}
counts() {
    python3 - $1 <<'EOF'
import json, sys
recorder = json.load(open(sys.argv[1] + "/manifest.json"))["recorder"]
for thread in recorder.pop("threads"):
    print(" ", thread)
print(" ", recorder)
EOF
}
show() {
    rastrum verify $1 || echo "exit $?"
    counts $1
    rastrum cat $1/events.trc || echo "exit $?"
}
cp -r "$GOLDEN"/atf/two_threads one
cp -r "$GOLDEN"/atf/two_threads two
record one 0 4
record two 0 3 1
echo '== a slice by time'
rastrum slice --axis time --from 1020 --to 1050 two -o part
show part
rastrum slice --json --axis time --from 1020 --to 1050 two -o part_json | grep -o '"beside":[^]]*]'
echo '== of one thread that has all of them'
rastrum slice -q --axis time --from 1020 --to 1050 one -o part_one >answer
counts part_one
echo '== where there are none'
rastrum slice --axis time --to 1000 two -o none || echo "exit $?"
ls none
rastrum verify none || echo "exit $?"
counts none
echo '== whole: as it is'
rastrum convert two -o whole
rastrum verify whole
cmp whole/events.trc two/events.trc && echo same
counts whole
echo '== merged: each its own'
rastrum merge one two -o both
find both -name events.trc | sort
rastrum verify both
echo '== merged into one process: joined'
for thread in 0 1; do
    rastrum slice -q --stream $thread "$GOLDEN"/atf/two_threads -o only_$thread >answer
    record only_$thread $thread 4
done
rastrum merge only_0 only_1 -o joined
show joined
echo '== of a process whose calls are elsewhere'
rastrum slice --axis time --from 1040 --to 1041 only_1 -o beside_calls
rastrum verify beside_calls
echo '== chosen by what events do not have'
rastrum slice --stream 0 two -o thread_0 || echo "exit $?"
ls thread_0
counts thread_0
rastrum slice -q --type detail two -o details >answer || echo "exit $?"
ls details
echo '== cut, empty, and something else'
cp -r two cut
head -c 60 two/events.trc >cut/events.trc
rastrum convert cut -o from_cut || echo "exit $?"
show from_cut
: >cut/events.trc
rastrum convert -q cut -o from_empty >answer || echo "exit $?"
rastrum verify from_empty
echo rubbish >cut/events.trc
rastrum convert cut -o from_rubbish || echo "exit $?"
rastrum verify from_rubbish
counts from_rubbish
