# What cannot be read or written is trouble, and no verdict on the capture.
python3 "$TOOLS/capture.py" --ticks 1 >a.jsonl
try() {
    rastrum finalize "$@" || echo "exit $?"
}
try absent.jsonl
try .
try a.jsonl --out a.jsonl
try a.jsonl --out -
try
try a.jsonl a.jsonl
mkdir -p out/a.survival.run1.cdt
try a.jsonl --out out
ls . out
