# An exported database has the tables of a run and the views of `rastrum sql`, with their rows.
rastrum run arena --seed 7 --ticks 20 -o run >/dev/null 2>&1
python3 -B "$TOOLS/database_rows.py" "$RASTRUM" run "$GOLDEN"/murk/all_payloads.murk \
    "$GOLDEN"/dial9/spans.trc "$GOLDEN"/dial9/runtime.trc "$GOLDEN"/dial9/cut_runtime.trc \
    "$GOLDEN"/atf/two_threads "$GOLDEN"/cdt/wide_ints.cdt "$GOLDEN"/aerogpu/appendix_a.aerogputrace
rastrum export --to sqlite run -o run.db 2>/dev/null
sqlite3 run.db "SELECT name FROM sqlite_schema WHERE type = 'view' ORDER BY 1;
    SELECT count(*), min(run_tick), max(run_tick), min(frame) FROM run_ticks;
    SELECT value FROM run WHERE key = 'world';
    SELECT count(*) = (SELECT count(*) FROM atf_span) FROM atf_call"
# A view whose columns or tables were not chosen is left out.
cp -r "$GOLDEN"/atf/two_threads s
rastrum export --to sqlite --type span s -o span.db
sqlite3 span.db "SELECT name FROM sqlite_schema; SELECT count(*) FROM atf_call"
rastrum export --to sqlite --type event s -o event.db
sqlite3 event.db "SELECT name FROM sqlite_schema"
cp "$GOLDEN"/dial9/runtime.trc .
rastrum export --to sqlite --type poll --fields worker_id,duration_ns runtime.trc -o poll.db
sqlite3 poll.db "SELECT name FROM sqlite_schema"
