# Polls and spans on a timeline are the rows of their types and the figures of stats, also where a
# span is one event, known by its annotations, or an end is missing.
python3 -B "$TOOLS/timeline_rows.py" "$(command -v rastrum)" \
    "$GOLDEN"/dial9/spans.trc "$GOLDEN"/dial9/runtime.trc "$GOLDEN"/dial9/cut_runtime.trc
cp "$GOLDEN"/dial9/spans.trc a.trc
rastrum export --to folded a.trc
rastrum export --to chrome --type poll --type span_segment a.trc | grep '"ph":"[BE]"'
