# What replaces a private file is private; what is made of one is, too; hard links stay together.
umask 022
mode() { stat -c '%a %n' "$@"; }
t=$GOLDEN/murk/cut_frame.murk
cp "$t" public.murk; cp "$t" private.murk; cp "$t" group.murk
chmod 644 public.murk; chmod 600 private.murk; chmod 640 group.murk
cp "$GOLDEN/murk/all_payloads.murk" old.murk; chmod 600 old.murk
rastrum slice -q public.murk -o old.murk --force >/dev/null 2>&1 || :
mode old.murk
for verb in slice repair cat info; do
    for from in public private group; do
        rastrum $verb -q $from.murk -o $verb.$from >/dev/null 2>&1 || :
        mode $verb.$from
    done
done
rastrum repair --in-place private.murk >/dev/null 2>&1 || :
rastrum repair --in-place public.murk >/dev/null 2>&1 || :
mode private.murk private.murk.undo.json public.murk public.murk.undo.json
cp -r "$GOLDEN/atf/crashed" session; chmod 700 session
rastrum slice session -o sliced >/dev/null 2>&1 || :
mode sliced sliced/manifest.json
chmod 755 session; find session -type f -exec chmod 600 {} +
rastrum slice session -o files >/dev/null 2>&1 || :
mode files files/manifest.json
chmod 750 sliced; rastrum slice "$GOLDEN/atf/two_threads" -o sliced --force >/dev/null; mode sliced
cp "$t" one.murk; ln one.murk two.murk
rastrum slice -q "$GOLDEN/murk/all_payloads.murk" -o one.murk --force || echo "exit $?"
cmp one.murk "$t" && ls one* two*
