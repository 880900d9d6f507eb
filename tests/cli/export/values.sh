# A condition holds for each row, also of a table that the format fills by itself.
cp -r "$GOLDEN/atf/two_threads" "$GOLDEN/cdt/wide_ints.cdt" "$GOLDEN/dial9/not_utf8.trc" .
rastrum export --to csv --type event --where "call_depth == 2" --fields seq,call_depth two_threads
rastrum cat --json --type event --where "call_depth == 2" two_threads | wc -l
# An item of a list that its type cannot hold is null.
rastrum export --to jsonl --type checkpoint --fields seq,perk_choices wide_ints.cdt
# In Parquet and Arrow text is UTF-8.
rastrum export --to arrow --type S --json -o s.arrows not_utf8.trc
# A name with a NUL.
cp "$GOLDEN/dial9/schema_names.trc" .
rastrum sql --format jsonl schema_names.trc "SELECT name, type FROM _tables WHERE name LIKE 'a%'"
# A dataset counts the same.
rastrum export --to dataset -o set wide_ints.cdt not_utf8.trc
