# Ranges and streams of a run directory: ticks by the order of records, times on its clock.
rastrum run arena --seed 7 --ticks 20 -o run >/dev/null 2>&1
python3 -B "$TOOLS/run_ranges.py" "$RASTRUM" run
rastrum export --quiet --to folded --stream atf:0 run | grep -c . >calls
test "$(cat calls)" -gt 10 && echo "calls of one thread"
rastrum export --quiet --to chrome --stream atf:0 run | grep '"cat":"event"' || echo "no events"
for to in perfetto speedscope pprof firefox ctf; do
    rastrum export --quiet --to $to --from 5 --until 8 --stream 0 run -o out.$to
    echo "$to written"
done
refused() {
    rastrum export "$@" && echo "$*: taken" || echo $?
}
refused --to chrome --stream nothing run
refused --to chrome --axis seq --from 5 run
refused --to chrome --from 8 --until 5 run
refused --to chrome --from x run
refused --to csv --type frame --axis seq --from 8 run -o tables
refused --to csv --type frame --stream nothing run -o tables
refused --to csv --type _tables --from 8 run -o tables
# An empty range is a table without rows; a database has the tables that describe its traces.
rastrum export --to csv --type frame --until 0 run -o none
wc -l <none/murk_frame.csv
rastrum export --quiet --to sqlite --from 3 --until 5 run -o part.db
sqlite3 part.db "SELECT count(*), min(run_tick), max(run_tick) FROM murk_frame;
    SELECT min(run_tick), max(run_tick) FROM atf_event; SELECT count(*) > 1 FROM murk__tables;
    SELECT count(*) FROM run_ticks"
rastrum export --to folded --from +1h run
