# One run, five traces: each is what its format says, and they are of the same run.
set +e
rastrum run arena --ticks 120 --seed 7 -o run
for part in replay.murk state.cdt gpu.aerogputrace events.trc calls; do
    rastrum verify --deep run/$part
done
rastrum replay run/replay.murk
rastrum health run/state.cdt | head -1
rastrum tick run/state.cdt 100 | head -2
rastrum entity run/state.cdt 1001000003 --ticks 7..7 | head -1
rastrum query run/state.cdt 'ticks where checkpoint.kills > prev(checkpoint.kills)' | head -1
rastrum info --json run/gpu.aerogputrace | grep -o '"frame":[0-9]*'
rastrum info --json run/events.trc | grep -o '"tick":[0-9]*'
rastrum cat --type event --format csv --fields function run/calls | grep -c arena_step
# The clock of events is that of calls: both are within the time in run.json.
python3 - <<'PY'
import json, subprocess
run = json.load(open("run/run.json"))["axes"]["time_ns"]
for part in ("events.trc", "calls"):
    said = subprocess.run(["rastrum", "info", "--json", "run/" + part], stdout=subprocess.PIPE)
    time = json.loads(said.stdout)["axes"]["time_ns"]
    slack = 10**6  # calls have their time from the processor's counter
    print(part, run["first"] - slack <= time["first"] <= time["last"] <= run["last"] + slack)
begin = run["begin"]
print(len(begin), begin == sorted(begin), run["first"] <= begin[0] <= begin[-1] <= run["last"])
PY
sed 's/[0-9a-f]\{64\}/H/g; s/pid_[0-9]*/pid_N/g; s/\(size_bytes":\)[0-9]*/\1S/g' run/run.json |
    sed 's/[0-9]\{9,\}/T/g; s/"begin":\[T,T,.*\]/"begin":[...]/'
