# A directory that an export wrote is replaced by another one, whatever the target; one that holds
# anything else, or a file that was changed since, is not.
cp "$GOLDEN"/murk/all_payloads.murk a.murk
for to in csv jsonl parquet arrow clickhouse ctf; do
    rastrum export --quiet --to $to a.murk -o out --force
    test -e out/.rastrum-export.json && ls out | head -n 1
done
rastrum export --quiet --to csv a.murk -o out --force
ls -A out
sed 's/"rastrum":"[^"]*"/"rastrum":"..."/' out/.rastrum-export.json
refused() {
    rastrum export --to csv a.murk -o out --force && echo taken || echo $?
    ls -A out
}
echo mine >out/notes.txt
refused
rm out/notes.txt
echo more >>out/murk_frame.csv
refused
rastrum export --quiet --to csv a.murk -o other && cp other/murk_frame.csv out/
ln -s /etc/passwd out/link
refused
rm out/link out/.rastrum-export.json
refused
echo '{"export_version":1,"files":[{"name":"murk_frame.csv"},{"name":"../a.murk","size_bytes":1}' \
    >out/.rastrum-export.json
refused
mkdir mine && echo mine >mine/a.csv
rastrum export --to csv a.murk -o mine --force || cat mine/a.csv
rm -r out && mkdir out
rastrum export --quiet --to csv a.murk -o out --force && ls out
rastrum export --to csv --type 'nothing*' a.murk -o out --force || ls out
# A trace is not replaced by an export, nor an export by a trace.
cp -r "$GOLDEN"/atf/two_threads session
rastrum export --to csv a.murk -o session --force || ls session
rastrum slice --from 0 --force session -o out || ls out
