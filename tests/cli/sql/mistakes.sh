# A mistake is shown with its line and place; exit status 2.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
for query in 'SELECT hash FROM frame' 'SELECT tick
FROM framez' 'SELEC 1' 'SELECT "tik" FROM frame' 'SELECT (1' "ATTACH 'x' AS y" \
    'DROP TABLE frame'; do
    rastrum sql run.murk "$query" && exit 9
done
rastrum sql missing.murk 'SELECT 1' || echo $?
rastrum sql missing.murk || echo $?
rastrum sql || echo $?
rastrum sql --format xml run.murk 'SELECT 1' || echo $?
RASTRUM_DUCKDB=/none/libduckdb.so rastrum sql --engine duckdb run.murk 'SELECT 1' || echo $?
rastrum sql --timeout 1us run.murk 'SELECT 1' || echo $?
rastrum sql --max-memory 1 run.murk 'SELECT 1' || echo $?
rastrum sql --json --format csv run.murk 'SELECT 1' || echo $?
rastrum sql a=run.murk A=run.murk 'SELECT 1' || echo $?
rastrum sql -f missing.sql run.murk || echo $?
