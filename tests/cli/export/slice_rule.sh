# Records of a type as slices: those of a recorder may be in any order, and overlap.
cat > a.jsonl <<END
{"type":"request","time_ns":100,"values":{"took_ns":50}}
{"type":"request","time_ns":120,"values":{"took_ns":110}}
{"type":"request","time_ns":130,"values":{"took_ns":60}}
{"type":"other","time_ns":140,"values":{"took_ns":1}}
END
rastrum convert --quiet --from-jsonl --to dial9 a.jsonl -o a.trc
rastrum export --to chrome --slice request:took_ns a.trc -o ended.json
grep -v '"ph":"M"' ended.json
rastrum export --to chrome --slice request:took_ns:start a.trc -o begun.json
grep -v '"ph":"M"' begun.json
