# From standard input: a file, a pipe, gzip in a pipe, zstd in a pipe.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
rastrum cat run.murk >a
rastrum cat - <run.murk | cmp - a
cat run.murk | rastrum cat - | cmp - a
gzip -n <run.murk | rastrum cat - | cmp - a
/usr/bin/python3 "$TOOLS/zstd.py" <run.murk | rastrum cat - | cmp - a
(dd bs=1 count=583 if=run.murk 2>/dev/null) | rastrum cat - | cmp - a
echo same
