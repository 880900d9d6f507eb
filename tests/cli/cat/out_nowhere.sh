# A missing folder; no file is left.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
rastrum cat -o absent/b run.murk || echo $?
ls
