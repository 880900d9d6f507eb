# -o writes the answer to a file and nothing to standard output.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
rastrum info -o answer run.murk
head -n 1 answer
ls
