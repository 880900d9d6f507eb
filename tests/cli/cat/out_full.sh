# A disk that is full is trouble, said in one line.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
rastrum cat run.murk >/dev/full
