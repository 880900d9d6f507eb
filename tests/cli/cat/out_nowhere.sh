# A folder that is not there; nothing is left behind.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
rastrum cat -o absent/b run.murk || echo $?
ls
