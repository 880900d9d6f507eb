# --each: a cut trace among them is 3, one that cannot be read is 2; the others have their rows.
mkdir all
cp "$GOLDEN"/murk/all_payloads.murk all/a.murk
cp "$GOLDEN"/murk/cut_frame.murk all/b.murk
cp "$GOLDEN"/murk/all_payloads.murk all/c.murk
rastrum sql --each 'all/*' -j 2 'SELECT count(*) FROM frame' 2>err || echo $?
sort err >&2
echo 'not a trace' >all/d
cp "$GOLDEN"/dial9/schema_names.trc all/e.trc
for jobs in 1 3; do
    rastrum sql --each 'all/*' -j $jobs 'SELECT count(*) FROM frame' 2>err || echo $?
    sort err >&2
done
rastrum sql --each 'all/[ce]*' 'SELECT count(*) FROM record'
rastrum sql --each 'all/[ce]*' 'SELECT * FROM record LIMIT 1' || echo $?
rastrum sql --each 'all/d' 'SELECT 1' || echo $?
rastrum sql --each 'none/*' 'SELECT 1' || echo $?
rastrum sql --each 'all/*' || echo $?
