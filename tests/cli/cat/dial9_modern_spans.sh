# Spans of all dialects, their stays, and spans over the segments of a directory.
cd "$GOLDEN/dial9"
for trace in modern_spans.trc single_spans.trc segments segments_damaged; do
    echo "$trace:"
    rastrum cat --type span --type span_segment --format jsonl $trace || echo "status $?"
done
