# An undo plan is for one state of one trace, and for nothing else.
cut=$GOLDEN/murk/cut_frame.murk
cp "$cut" run.murk
cp "$GOLDEN"/murk/all_payloads.murk other.murk
rastrum repair --in-place --quiet run.murk >/dev/null 2>&1 || :
rastrum repair --undo run.murk.undo.json other.murk || echo "exit $?"
rastrum repair --undo absent.json run.murk || echo "exit $?"
rastrum repair --undo run.murk.undo.json absent.murk || echo "exit $?"
rastrum repair --undo run.murk.undo.json run.murk && cmp run.murk "$cut" && echo back
rastrum repair --undo run.murk.undo.json run.murk || echo "exit $?"
cmp run.murk "$cut" && echo as it was
echo '[{"part":"","at":0,"remove":547,"insert":""}]' >old.json
rastrum repair --undo old.json run.murk || echo "exit $?"
sed 's/"remove":0/"remove":1/' run.murk.undo.json >broken.json
rastrum repair --in-place --quiet --backup again.json run.murk >/dev/null 2>&1 || :
cmp again.json run.murk.undo.json && rastrum repair --undo broken.json run.murk || echo "exit $?"
# All parts of a session, also where taking back was interrupted between two of them.
cp -r "$GOLDEN"/atf/crashed session
cp -r session before
rastrum repair --in-place --quiet session >/dev/null 2>&1 || :
cp -r session repaired
rastrum repair --undo session.undo.json session && diff -r session before && echo back
rastrum repair --undo session.undo.json session || echo "exit $?"
cp repaired/thread_0/index.atf session/thread_0/
rastrum repair --undo session.undo.json session && diff -r session before && echo back
echo x >>session/thread_0/index.atf
rastrum repair --undo session.undo.json session || echo "exit $?"
# What a link leads to is repaired, and the link stays.
ln -s run.murk link.murk
rastrum repair --undo again.json link.murk && cmp run.murk "$cut" && readlink link.murk
