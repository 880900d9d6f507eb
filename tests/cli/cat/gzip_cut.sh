# What a cut gzip member holds is printed; status 3.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
gzip -n run.murk
head -c 200 run.murk.gz >cut.gz
rastrum cat --type frame cut.gz
