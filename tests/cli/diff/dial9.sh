# Events by their order, whatever their times and batches: what was changed, deleted, inserted.
cat >a.jsonl <<END
{"type":"schema","values":{"name":"Poll","fields":{"worker":"U8","where":"PooledString"}}}
{"type":"Poll","time_ns":100,"values":{"worker":1,"where":"a.rs:1"}}
{"type":"Poll","time_ns":110,"values":{"worker":2,"where":"a.rs:2"}}
{"type":"Note","time_ns":200,"values":{"text":"by its looks","n":[1,2]}}
{"type":"Poll","time_ns":300,"values":{"worker":3,"where":"a.rs:3"}}
END
sed 's/a.rs:2/b.rs/; /Note/d' a.jsonl >changed.jsonl
sed '/worker":2/d' a.jsonl >deleted.jsonl
sed 's/\[1,2\]/[1,7]/; s/ns":200/ns":250/' a.jsonl >later.jsonl
for name in a changed deleted later; do
    rastrum convert --quiet --from-jsonl --to dial9 $name.jsonl -o $name.trc
done
rastrum diff a.trc a.trc
rastrum diff --keep-going a.trc changed.trc || echo "exit $?"
rastrum diff --json a.trc deleted.trc || echo "exit $?"
rastrum diff --json deleted.trc a.trc || echo "exit $?"
rastrum diff --json --time 10 a.trc later.trc || echo "exit $?"
rastrum diff --time 50 --ignore Note.n a.trc later.trc
rastrum diff --tolerance 'n[*]=5' a.trc later.trc
rastrum diff --ignore n a.trc changed.trc || echo "exit $?"
rastrum bisect --window-before 1 --window-after 2 a.trc later.trc || echo "exit $?"
