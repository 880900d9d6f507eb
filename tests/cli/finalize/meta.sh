# META: where the capture lies, its hash and size, the run's ids, the status of its first tick.
python3 "$TOOLS/capture.py" --ticks 2 >capture.jsonl
rastrum finalize capture.jsonl
rastrum info --json capture.survival.run1.cdt |
    grep -o '"\(source\|tick_range\|impl\)[a-z0-9_.]*":[^,}]*' | grep -v mtime
sha256sum <capture.jsonl
wc -c <capture.jsonl
