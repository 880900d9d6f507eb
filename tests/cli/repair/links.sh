# A file of several names stays one file: repaired and taken back in all of them.
t=$GOLDEN/murk/cut_frame.murk
cp "$t" one.murk; chmod 640 one.murk; ln one.murk two.murk; ln one.murk three.murk
before=$(stat -c '%i %a %u %g %h' one.murk)
rastrum repair --in-place --quiet one.murk || echo "exit $?"
[ "$(stat -c '%i %a %u %g %h' two.murk)" = "$before" ] && echo the same file
rastrum verify three.murk
rastrum repair --undo one.murk.undo.json two.murk
cmp one.murk "$t" && [ "$(stat -c '%i %a %u %g %h' one.murk)" = "$before" ] && echo as it was
rm one.murk.undo.json
# A session: the parts that change keep their names elsewhere; what grows is written, too.
cp -r "$GOLDEN/atf/crashed" session; cp -rl session linked
rastrum repair --in-place --quiet session || echo "exit $?"
find session -name '*.atf' -links +1 | while read -r part; do
    cmp "$part" "linked/${part#session/}" && [ "$part" -ef "linked/${part#session/}" ] || echo apart
done
rastrum verify --quiet session >/dev/null && echo verified
find . -name '*.repaired'
# What an interrupted repair left is not written over, and nothing else is touched.
echo kept >one.murk.repaired
rastrum repair --in-place one.murk || echo "exit $?"
cat one.murk.repaired; cmp one.murk "$t"; ls one.murk*
