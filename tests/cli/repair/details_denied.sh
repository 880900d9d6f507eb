# A thread whose detail.atf is not there: the manifest no longer promises it, and nothing is left.
cp -r "$GOLDEN"/atf/two_threads session
rm session/thread_0/detail.atf
rastrum repair -q session -o whole >answer || echo "exit $?"
grep 'not repaired' answer || echo 'all repaired'
rastrum verify whole || echo "exit $?"
threads() {
    python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["threads"])' $1/manifest.json
}
threads whole
echo '== a list behind what repair adds to, and a thread that is not listed'
python3 - <<'EOF'
import json
manifest = json.load(open("session/manifest.json"))
threads = manifest.pop("threads")
manifest["repaired"] = [1]
manifest["threads"] = [t for t in threads if t["id"] == 0]
json.dump(manifest, open("session/manifest.json", "w"))
EOF
cp -r session before
rastrum repair -q --in-place session >answer || echo "exit $?"
rastrum verify session || echo "exit $?"
threads session
rastrum repair -q --undo session.undo.json session >answer || echo "exit $?"
cmp session/manifest.json before/manifest.json && echo back
