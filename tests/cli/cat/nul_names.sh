# A NUL in the name of a type or a field is that in every output, never the two bytes that represent
# it in the library.
cp "$GOLDEN"/dial9/schema_names.trc a.trc
head -c 49 a.trc >b.trc
printf '\011' >>b.trc
rastrum cat --json --type schema a.trc
rastrum du --json a.trc | grep '"type"'
rastrum diff a.trc b.trc || echo "exit $?"
rastrum sql --json a.trc 'SELECT field FROM _columns WHERE "table" >= '"'a' AND field > 'b'"
check() {
    if LC_ALL=C grep -aqE "$(printf '\300\200')|udcc0|\\\\xc0" all; then
        echo "$* has the bytes"
    fi
}
every() {
    rastrum "$@" >all 2>&1 </dev/null || true
    check "$@"
}
for form in --quiet --json; do
    for verb in info du stats verify cat tree; do
        every $verb $form a.trc
    done
    every verify --strict $form a.trc
    every diff $form a.trc b.trc
    every bisect $form a.trc b.trc
    every cat $form --type 'schema' --type 'annotation' a.trc
    for table in _tables _columns record schema schema_fields; do
        every sql $form a.trc "SELECT * FROM $table"
    done
done
every report a.trc b.trc
every cat --type zz a.trc
every cat --fields zz a.trc
for to in perfetto chrome speedscope folded firefox ctf \
    parquet sqlite arrow clickhouse csv jsonl; do
    rastrum export --json --to $to a.trc -o out >all 2>&1
    find out -type f -exec cat {} + >>all
    find out >>all
    check $to
    rm -r out
done
echo done
