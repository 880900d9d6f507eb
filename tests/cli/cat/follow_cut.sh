# A pipe that ends inside a record: status 3.
cp "$GOLDEN"/murk/cut_hash.murk run.murk
cat run.murk | rastrum cat --follow -
