# doctor is verify.
cp "$GOLDEN"/murk/trailing.murk run.murk
rastrum verify run.murk >a || :
rastrum doctor run.murk >b || :
cmp a b
