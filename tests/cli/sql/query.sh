# A record type is a table; formats of the rows.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
rastrum sql run.murk 'SELECT tick, command_count, snapshot_hash FROM frame'
rastrum sql --format table run.murk \
    'SELECT seq, payload_name, coord, source_id FROM command LIMIT 3'
rastrum sql --json run.murk \
    'SELECT seq, payload_name, payload, coord, value, seq FROM command LIMIT 2'
rastrum sql --format markdown run.murk "SELECT 'a|b' x, NULL y, 'c
d' z"
rastrum sql run.murk "SELECT '' empty, NULL none, 'a\"b' quote, 'a,b' comma"
rastrum sql run.murk 'SELECT 1 WHERE 0'
rastrum sql run.murk 'SELECT 1 a; SELECT 2 b;'
rastrum sql -o rows.csv run.murk 'SELECT 1 a'
cat rows.csv
