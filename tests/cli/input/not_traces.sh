# Not a trace for a known reason: archives, and empty compressed files.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
mkdir session && echo x >session/y
tar -cf session.tar session
gzip -k session.tar
rastrum info session.tar || echo "exit $?"
rastrum info session.tar.gz || echo "exit $?"
gzip -c "$GOLDEN"/murk/all_payloads.murk | head -c 20 >cut.gz
rastrum info cut.gz || echo "exit $?"
printf '\037\213\010\000\000\000\000\000\000\003rubbish in place of data' >bad.gz
rastrum cat bad.gz || echo "exit $?"
rastrum cat --input-format cdt run.murk || echo "exit $?"
