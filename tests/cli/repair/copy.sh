# A mended copy is whole, the trace stays as it was, and mending it again changes nothing.
cp "$GOLDEN"/murk/cut_frame.murk run.murk
rastrum repair run.murk -o mended.murk >report 2>err || echo "exit $?"
cmp run.murk "$GOLDEN"/murk/cut_frame.murk
rastrum verify --strict mended.murk
rastrum repair -n mended.murk
