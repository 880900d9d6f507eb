# The first invalid row is reported with its line and ends it; finished runs are kept.
python3 "$TOOLS/capture.py" --runs 2 >good.jsonl
try() {
    rastrum finalize "$@" --out out && echo "not refused"
    echo "exit $?"
}
sed '13s/"mode_id":1/"mode_id":2/' good.jsonl >mode.jsonl
try mode.jsonl
ls out
sed '4s/"hp":[^,]*/"hp":null/' good.jsonl >null.jsonl
try null.jsonl
sed '4s/"ai_mode"/"mode"/' good.jsonl >unknown.jsonl
try unknown.jsonl
head -c 9000 good.jsonl >cut.jsonl
try cut.jsonl
sed 2,11d good.jsonl | head -n 1 >alone.jsonl
try alone.jsonl
sed '2s/.*/{"event":"error","error":"it'"'"'s \\n"}/' good.jsonl >error.jsonl
try error.jsonl
: >empty.jsonl
try empty.jsonl
printf '\n\n{"event":"tick"}' >first.jsonl
try first.jsonl
try --json first.jsonl
ls out
