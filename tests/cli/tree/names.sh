# Threads have the names that the program gave them; a name of several threads selects all of them.
cp -r "$GOLDEN"/atf/two_threads session
python3 - session/manifest.json <<'END'
import json, sys
manifest = json.load(open(sys.argv[1]))
manifest["recorder"] = {"threads": [{"id": 0, "name": "main"}, {"id": 1, "name": "wörker"}]}
json.dump(manifest, open(sys.argv[1], "w"))
END
rastrum stats -t threads session
rastrum tree --by-thread session
rastrum tree --by-thread --thread wörker --json session
rastrum tree --thread main,wörker --depth 1 session
rastrum tree --thread mian session || echo "exit $?"
rastrum tree --open --thread nobody session || echo "exit $?"
sed -i s/wörker/main/ session/manifest.json
sed -i 's/w\\u00f6rker/main/' session/manifest.json
rastrum tree --by-thread --thread main --depth 1 session
