# So many records and no more.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
rastrum cat --limit 0 run.murk
rastrum cat --limit 2 run.murk
rastrum cat --limit 99 run.murk | wc -l
