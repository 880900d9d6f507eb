# What a path had before is removed on request; the other traces of its batch are written again.
mkdir t
cp "$GOLDEN"/murk/all_payloads.murk t/a.murk
cp "$GOLDEN"/murk/world.murk t/b.murk
cp "$GOLDEN"/murk/floats.murk t/c.murk
rastrum export --quiet --to dataset -o set t/a.murk t/b.murk
rastrum export --quiet --to dataset -o set t/c.murk
cp "$GOLDEN"/murk/big-steady.murk t/a.murk
rastrum export --to dataset -o set t/a.murk
show() {
    sed 's/,"files":\[[^]]*]/,"files":[...]/; s/"size_bytes":[0-9]*/"size_bytes":N/g' \
        set/_manifest.jsonl | sed 's/,"rastrum":"[^"]*"//'
    find set -name '*.parquet' | sort
}
show
rastrum export --to dataset --prune -o set t/a.murk
show
# Nothing is left to remove. What was removed is added where it comes again.
rastrum export --to dataset --prune -o set t/a.murk t/b.murk t/c.murk
cp "$GOLDEN"/murk/all_payloads.murk t/d.murk
rastrum export --to dataset --prune --json -o set t/d.murk
# A path that has what it once had supersedes what came between.
cp "$GOLDEN"/murk/world.murk t/a.murk
rastrum export --to dataset --prune -o set t/a.murk
# A batch with a trace that is gone cannot be written again: its old one stays, and that is said.
mkdir u && cp t/b.murk u/x.murk && cp "$GOLDEN"/murk/big-steady.murk u/y.murk
rastrum export --quiet --to dataset -o other u/x.murk u/y.murk
cp "$GOLDEN"/murk/all_payloads.murk u/x.murk && rm u/y.murk
rastrum export --to dataset --prune -o other u/x.murk || echo "exit $?"
find other -name '*.parquet' | sort
