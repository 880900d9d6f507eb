# Traces are added once, by their content; what cannot be read is listed and fails the rest not.
mkdir t
for name in all_payloads world cut_frame version_9; do
    cp "$GOLDEN/murk/$name.murk" t/
done
rastrum export --to dataset -o set t/all_payloads.murk t/world.murk
rastrum export --to dataset -o set t/world.murk t/cut_frame.murk || echo "exit $?"
printf 't/version_9.murk\n\nt/world.murk\n' | rastrum export --to dataset -o set --files-from - ||
    echo "exit $?"
cp t/all_payloads.murk t/world.murk
rastrum export --to dataset --json -o set t/world.murk
cp "$GOLDEN/murk/big-steady.murk" t/world.murk
rastrum export --to dataset -o set t/world.murk
ls set set/murk_frame set/murk_command
grep -c . set/_manifest.jsonl
cat set/_schema/murk_frame.json
# A torn last line is what a crash leaves; another line that is damaged is not.
printf '{"batch":9,"tra' >>set/_manifest.jsonl
mkdir set/.tmp-1-0 set/murk_frame/batch=000009
rastrum export --to dataset -o set t/world.murk
ls -A set
sed -i '1s/batch/batsh/' set/_manifest.jsonl
rastrum export --to dataset -o set t/world.murk || echo "exit $?"
# Not a dataset, and no place for one.
rastrum export --to dataset -o t t/world.murk || echo "exit $?"
rastrum export --to dataset t/world.murk || echo "exit $?"
rastrum export --to dataset -o new || echo "exit $?"
ls
