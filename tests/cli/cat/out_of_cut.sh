# A cut trace still gives its records; the file is there, status 3.
cp "$GOLDEN"/murk/cut_hash.murk run.murk
rastrum cat -o b run.murk || echo $?
cat b
