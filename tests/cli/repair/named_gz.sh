# In place means the same kind of file: a trace that is only called .gz is not compressed.
head -c 500 "$GOLDEN/murk/all_payloads.murk" >cut.murk.gz
cp cut.murk.gz plain.murk
rastrum repair --in-place -q cut.murk.gz >/dev/null || echo "exit $?"
rastrum repair --in-place -q plain.murk >/dev/null || echo "exit $?"
cmp cut.murk.gz plain.murk && echo same
rastrum repair -q --undo cut.murk.gz.undo.json cut.murk.gz >/dev/null || echo "exit $?"
head -c 500 "$GOLDEN/murk/all_payloads.murk" | cmp - cut.murk.gz && echo back
