# Shortest round trip; NaN and infinities are words; --float-bits shows the pattern.
cp "$GOLDEN"/murk/floats.murk run.murk
rastrum cat --format jsonl --type command --fields field_values,params run.murk
rastrum cat --format jsonl --type command --fields params --float-bits run.murk | tail -n 1
