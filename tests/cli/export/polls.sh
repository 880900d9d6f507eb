# Polls and spans on a timeline are the rows of their types and the figures of stats, also where a
# span is one event, known by its annotations, or an end is missing.
python3 -B "$TOOLS/timeline_rows.py" "$(command -v rastrum)" \
    "$GOLDEN"/dial9/spans.trc "$GOLDEN"/dial9/runtime.trc "$GOLDEN"/dial9/cut_runtime.trc \
    "$GOLDEN"/dial9/spans_differ.trc
cp "$GOLDEN"/dial9/spans.trc a.trc
rastrum export --to folded a.trc
rastrum export --to chrome --type poll --type span_segment a.trc | grep '"ph":"[BE]"'
# Batches that disagree about a type: the first one that is stored decides, also for a range.
cp "$GOLDEN"/dial9/spans_differ.trc b.trc
rastrum sql b.trc 'SELECT name, start_ns, duration_ns FROM span_segment ORDER BY 2'
rastrum export --quiet --to chrome b.trc | grep -o '"ph":"[BEi]".*"name":"[A-Z][a-z]*"' | sort
rastrum export --quiet --to chrome --axis time --until +1ms b.trc |
    grep -o '"ph":"[BEi]".*"name":"[A-Z][a-z]*"' | sort
