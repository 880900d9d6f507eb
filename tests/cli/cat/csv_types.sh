# Several types, or several schemas of one: a column for each field of theirs; types of a stream are
# known when all of it is there. Of what arrives a field without a column is an error, not a loss.
lines() {
    rastrum convert --from-jsonl --to dial9 - -o "$1" >/dev/null
}
lines a.trc <<'J'
{"type":"Poll","time_ns":1,"values":{"worker":1,"task":2}}
{"type":"Wake","time_ns":2,"values":{"task":3,"by":4}}
J
lines b.trc <<'J'
{"type":"Poll","time_ns":3,"values":{"worker":1,"where":"x, \"y\""}}
{"type":"Park","time_ns":4,"values":{"worker":5}}
J
cat a.trc b.trc >both.trc
rastrum cat -F csv -t Poll,Wake both.trc
rastrum cat -F csv -t 'P*' both.trc
rastrum cat -F csv -t 'P*' - <both.trc
cat both.trc | rastrum cat -F csv -t 'P*' -
rastrum cat -F csv -t Poll both.trc
cat both.trc | rastrum cat -F csv -t Poll - || echo "exit $?"
rastrum cat -F csv --fields where,worker both.trc
cp "$GOLDEN"/murk/all_payloads.murk run.murk
rastrum cat -F csv -t frame,command -n 3 run.murk
