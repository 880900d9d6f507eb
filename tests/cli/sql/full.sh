# A disk that is full, with rows and with --each; an interrupt ends the program by its signal.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
rastrum sql run.murk 'SELECT * FROM command' >/dev/full || echo $?
rastrum sql -o /dev/full run.murk 'SELECT * FROM command' || echo $?
rastrum sql --each run.murk 'SELECT * FROM command' >/dev/full || echo $?
rastrum sql -o there/rows.csv run.murk 'SELECT 1' || echo $?
timeout -s INT 1 rastrum sql run.murk 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1
    FROM n) SELECT count(*) FROM n' || echo $?
