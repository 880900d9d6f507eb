# A capture that broke off, and a run that never had a tick.
python3 "$TOOLS/capture.py" --ticks 3 >good.jsonl
try() {
    rastrum finalize --salvage "$@" || echo "exit $?"
}
head -c 9000 good.jsonl >cut.jsonl
try cut.jsonl
rastrum verify cut.survival.run1.cdt
head -c 9000 good.jsonl | rastrum finalize --salvage --json - || echo "exit $?"
# Only the last line may break off, and only as text.
{ head -c 9000 good.jsonl; echo; tail -n 2 good.jsonl; } >middle.jsonl
try middle.jsonl
{ head -n 3 good.jsonl; printf '{"event":"tick"}'; } >row.jsonl
try row.jsonl
{
    sed -n 1,2p good.jsonl
    sed -n '6s/"ticks_written":3/"ticks_written":0/p' good.jsonl
    sed 1d good.jsonl
} >empty.jsonl
rastrum finalize empty.jsonl || echo "exit $?"
try empty.jsonl
head -n 2 good.jsonl >nothing.jsonl
try nothing.jsonl
