# Every whole record, one line of loss, status 3.
cp "$GOLDEN"/murk/cut_hash.murk run.murk
rastrum cat run.murk
