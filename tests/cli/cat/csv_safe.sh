# Cells of text that a spreadsheet would compute are marked on request; numbers are never changed.
cat >a.jsonl <<'E'
{"type":"E","time_ns":1,"values":{"=a":"=1+1","b":-5,"c":"x=1","d":"@\"x\",y","e":-0.5}}
{"type":"E","time_ns":2,"values":{"=a":"-1","b":-6,"c":"+2","d":"\tx","e":1.5}}
E
rastrum convert --from-jsonl --to dial9 a.jsonl -o a.trc >report
rastrum cat --format csv --type E --fields =a,b,c,d,e a.trc
rastrum cat --format csv --csv-safe --type E --fields =a,b,c,d,e a.trc
