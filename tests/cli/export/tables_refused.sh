# What is not one table, or not there, is refused with what to do.
cp "$GOLDEN/murk/all_payloads.murk" t.murk
rastrum export --to parquet t.murk >out || echo "exit $?"
rastrum export --to csv --type comand t.murk || echo "exit $?"
rastrum export --to csv --type command --fields entityid t.murk || echo "exit $?"
rastrum export --to clickhouse --shard 2/2 --type frame t.murk || echo "exit $?"
rastrum export --to clickhouse --shard x --type frame t.murk || echo "exit $?"
rastrum export --to parquett t.murk || echo "exit $?"
wc -c <out
