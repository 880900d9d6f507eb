# The remark on what was lost goes nowhere, least of all into the output.
rastrum cat --format jsonl -o lost.jsonl "$GOLDEN"/murk/cut_frame.murk 2>&- || echo "exit $?"
cat lost.jsonl
rastrum info "$GOLDEN"/murk/cut_frame.murk >&- || echo "exit $?"
rastrum info - <&- || echo "exit $?"
