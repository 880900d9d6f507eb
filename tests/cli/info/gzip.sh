# gzip wrapping is looked through, whatever the name.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
gzip -n run.murk
mv run.murk.gz wrapped
rastrum info wrapped | grep -E "format|size|wrap|ending|records"
