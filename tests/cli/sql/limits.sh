# A query without end is stopped; memory has a limit.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
endless='WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n'
rastrum sql --timeout 100ms run.murk "$endless" || echo $?
rastrum sql --max-memory 4M run.murk "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n
    LIMIT 200000) SELECT length(group_concat(printf('%0100d', i))) FROM n" || echo $?
