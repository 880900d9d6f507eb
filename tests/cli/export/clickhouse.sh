# The statements that create tables, and rows in binary.
cp "$GOLDEN/murk/all_payloads.murk" t.murk
rastrum export --to clickhouse --ddl --type command t.murk
rastrum export --to clickhouse --ddl --cluster lab --type frame t.murk
rastrum export --to clickhouse --batch b7 --type frame t.murk | od -An -tx1 -v
rastrum export --to clickhouse --shard 1/2 --type frame t.murk | wc -c
