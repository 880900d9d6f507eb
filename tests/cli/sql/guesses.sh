# What people type first; each answer says what to do.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
for query in '' ' ; ' '.tables' 'other.murk' 'show tables' 'DESCRIBE frame' \
    'SELECT * FROM frame WHERE' 'SELECT * FROM murk.frame' 'SELECT * FROM zzzzzzzz' \
    'SELECT zzzzzzzz FROM frame' 'SELECT hex46(1)' 'UPDATE frame SET tick = 1' \
    "SELECT 'abc FROM frame" 'SELECT count(* FROM frame' 'SELECT tick FROM frame, command'; do
    rastrum sql run.murk "$query" && exit 9
done
# A name in several schemas is not taken from the first of them.
for query in 'SELECT count(*) FROM frame' 'SELECT tick FROM frame' 'SELECT name FROM _tables' \
    'SELECT b.tick FROM frame b' 'SELECT tick FROM a.frame JOIN frame b USING (tick)' \
    'WITH x AS (SELECT 1) SELECT count(*) FROM Frame' 'SELECT (SELECT count(*) FROM frame)' \
    'CREATE TEMP VIEW v AS SELECT b.tick FROM frame b; SELECT * FROM v'; do
    rastrum sql a=run.murk b=run.murk "$query" && exit 9
done
rastrum sql a=run.murk b=run.murk 'SELECT count(*) FROM "a".frame; SELECT count(*) FROM b . frame x;
    SELECT count(*) FROM murk_frame; WITH frame AS (SELECT 7) SELECT count(*) FROM frame;
    SELECT count(*) FROM a.frame frame JOIN b.frame a USING (tick);
    CREATE TEMP TABLE frame AS SELECT 8; SELECT count(*) FROM frame; SELECT frame.* FROM frame'
# Two statements; one that is a comment; a name with a NUL.
rastrum sql run.murk 'SELECT 1; SELECT 2 -- and no more'
rastrum sql run.murk '/* nothing */'
rastrum sql --json "$GOLDEN"/dial9/schema_names.trc 'SELECT type FROM record'
