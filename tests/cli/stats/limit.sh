# --limit 0 is nothing, in every verb; --all is all.
cp "$GOLDEN"/murk/all_payloads.murk a.murk
rastrum stats -t types --limit 0 a.murk
rastrum stats -t types --limit 1 --all a.murk
rastrum stats -t types --json --limit 0 a.murk
rastrum du --limit 0 a.murk
rastrum du --limit 1 --all a.murk | wc -l
rastrum cat --limit 0 a.murk
rastrum cat --limit 0 --all a.murk | wc -l
