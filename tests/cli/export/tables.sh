# A table of a trace as text; columns, ranges, conditions, shards. Exit status 3 after a cut.
cp "$GOLDEN/murk/all_payloads.murk" t.murk
rastrum export --to csv --type command t.murk
rastrum export --to jsonl --type frame --fields tick,snapshot_hash t.murk
rastrum export --to jsonl --type command --where "entity_id == 7" \
    --fields seq,payload_name,coord t.murk
rastrum export --to csv --type command --axis seq --from 3 --until 5 --fields seq,type_id t.murk
rastrum export --to csv --type command_coord t.murk
# The word for a code is another column, and hidden: it comes when it is named.
cp -r "$GOLDEN/atf/two_threads" calls
rastrum export --to csv --type event --until 3 --axis seq --fields event_kind calls
rastrum export --to csv --type event --until 3 --axis seq --fields event_kind,kind calls
size=$(wc -c <t.murk)
head -c $((size - 3)) t.murk >cut.murk
rastrum export --to csv --type frame cut.murk || echo "exit $?"
