# Members that follow each other are one trace.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
rastrum cat run.murk >a
{ head -c 200 run.murk | gzip -n; tail -c +201 run.murk | gzip -n; } >two.gz
rastrum cat two.gz | cmp - a
echo same
