# -o, --out and --output write the same bytes to a file.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
rastrum cat run.murk >a
rastrum cat -o b run.murk
rastrum cat --out c run.murk
rastrum cat --output=d run.murk
cmp a b
cmp a c
cmp a d
ls
