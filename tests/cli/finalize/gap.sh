# Missing ticks are reported; the trace numbers its own.
python3 "$TOOLS/capture.py" --no-end | sed '5,6d' >gap.jsonl
rastrum finalize gap.jsonl
rastrum finalize --quiet gap.jsonl
rastrum cat --depth 0 gap.survival.run1.cdt | cut -c -30
grep boundary *.json
