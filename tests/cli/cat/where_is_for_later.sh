# The expression language is not there yet: an unknown option.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
rastrum cat --where "tick_id == 2" run.murk
