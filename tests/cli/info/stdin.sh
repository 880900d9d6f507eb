# - is standard input.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
rastrum info - <run.murk | sed -n "1,3p"
cat run.murk | rastrum info - | sed -n "1,3p"
