# A slice of everything is the trace; trim is its other name.
rastrum trim "$GOLDEN"/murk/all_payloads.murk -o a.murk
cmp a.murk "$GOLDEN"/murk/all_payloads.murk
