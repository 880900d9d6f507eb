# A database of SQLite for the shell of the system: the rows and values of sql and cat.
cp "$GOLDEN/murk/all_payloads.murk" t.murk
rastrum export --to sqlite t.murk -o t.db
sqlite3 t.db "PRAGMA integrity_check; SELECT name FROM sqlite_schema"
both() { # SQL of a table of t.murk and of the same in t.db
    rastrum sql --format csv t.murk "$1" | tail -n +2 >sql.csv
    sqlite3 -csv t.db "$2" | tr -d '\r' >db.csv
    test -s sql.csv
    cmp sql.csv db.csv
}
both "SELECT seq, payload_name, coord, field_values, value, hex(data), params FROM command" \
    "SELECT seq, payload_name, coord, field_values, value, hex(data), params FROM murk_command"
both "SELECT count(*), sum(command_count), sum(tick) FROM frame" \
    "SELECT count(*), sum(command_count), sum(tick) FROM murk_frame"
rastrum cat --json --type frame t.murk | sed 's/.*"snapshot_hash":"\([^"]*\)".*/\1/' >cat.hash
sqlite3 t.db "SELECT printf('0x%016x', snapshot_hash) FROM murk_frame" | cmp - cat.hash
sqlite3 t.db "SELECT DISTINCT trace FROM murk_frame;
    SELECT type FROM pragma_table_info('murk_frame') WHERE name = 'snapshot_hash'"

# Tables, columns, ranges, conditions.
rastrum export --to sqlite --type command --fields seq,entity_id --where "entity_id == 7" \
    t.murk -o where.db
sqlite3 where.db .schema "SELECT * FROM murk_command"
rastrum export --to sqlite --axis seq --from 3 --until 5 t.murk -o range.db
sqlite3 range.db "SELECT seq FROM murk_command; SELECT count(*) > 20 FROM murk__columns"

# Exit status 3 after a cut, with the rows of cat.
head -c $(($(wc -c <t.murk) - 3)) t.murk >cut.murk
rastrum export --to sqlite cut.murk -o cut.db || echo "exit $?"
rastrum cat --quiet --json cut.murk | wc -l
sqlite3 cut.db "SELECT (SELECT count(*) FROM murk_frame) + (SELECT count(*) FROM murk_command);
    SELECT state FROM murk__ending"

# A run directory.
rastrum run arena --seed 7 --ticks 40 -o run7 >/dev/null
rastrum export --quiet --to sqlite run7 -o run.db
sqlite3 run.db "SELECT count(*), sum(d.snapshot_hash = f.snapshot_hash) FROM murk_frame f
    JOIN dial9_tick d USING (run_tick)"
sums="SELECT count(*), printf('%!.17g', sum(hp)), printf('%!.17g', max(heading)) FROM"
rastrum sql --format csv run7 "$sums cdt.creature" | tail -n +2 >sql.csv
sqlite3 -csv run.db "$sums cdt_creature" | tr -d '\r' >db.csv
test -s sql.csv
cmp sql.csv db.csv

# What is there is replaced on request; a full disk leaves nothing; a pipe cannot hold it.
rastrum export --to sqlite t.murk -o t.db || echo "exit $?"
rastrum export --quiet --force --to sqlite t.murk -o t.db
sqlite3 t.db "SELECT count(*) FROM murk_frame"
(trap '' XFSZ; ulimit -f 8; rastrum export --to sqlite t.murk -o full.db || echo "exit $?")
ls -A | grep -c full || :
rastrum export --to sqlite t.murk | cat
rastrum export --to sqlite --type comand t.murk -o none.db || echo "exit $?"
test ! -e none.db

# SQLite has no NaN: it is NULL, and counted.
cp "$GOLDEN/cdt/floats.cdt" floats.cdt
rastrum export --to sqlite floats.cdt -o floats.db
