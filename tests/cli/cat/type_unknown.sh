# A type there is not: said with those there are, status 1.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
rastrum cat --type event run.murk
