# Spans by type and attribute, and where their time went; the segments of a directory.
cd "$GOLDEN/dial9"
tables=span_types,span_time,span_attributes,spans,span_active,span_segments
rastrum stats -t $tables modern_spans.trc
rastrum stats -t segments,red_flags,span_types --json segments_damaged || echo "status $?"
