# A text with commas is one type where there is one of that name, else several.
LC_ALL=C sed 's/Step/S,ep/g' "$GOLDEN"/dial9/big-steady.trc >run.trc
rastrum info --json run.trc | grep -o '"by_type":{[^}]*}'
rastrum cat --type S,ep run.trc | wc -l
rastrum cat --type S,ep --type Ev run.trc | wc -l
rastrum cat --type Ev,gap run.trc | wc -l
cp "$GOLDEN"/murk/all_payloads.murk run.murk
rastrum cat --type frame,command, run.murk | wc -l
rastrum cat --type frame,nothing run.murk | wc -l
rastrum cat --type nothing,else run.trc || echo "exit $?"
