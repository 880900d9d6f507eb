# Events typed by hand, with a schema and without; what is wrong is named with its line.
try() {
    printf '%s\n' "$@" >in.jsonl
    rastrum convert --force --from-jsonl in.jsonl --to dial9 -o x.trc || echo "exit $?"
}
fields='{"worker":"U8","where":"PooledString","cpu":"Optional U16"}'
try '{"type":"schema","values":{"name":"Poll","fields":'"$fields"'}}' \
    '{"type":"annotation","values":{"type":"Poll","field_index":0,"key":"unit","value":"id"}}' \
    '{"type":"Poll","time_ns":100,"values":{"where":"a.rs:1","worker":7}}' \
    '{"type":"Poll","time_ns":40000000,"values":{"where":"a.rs:1","worker":8,"cpu":3}}' \
    '{"type":"Note","values":{"text":"by looks","list":[1,-2,"x"],"at":["0x0000000000000010"]}}'
rastrum verify --strict x.trc | tail -n 1
rastrum cat x.trc
rastrum cat --type schema --type annotation --type string x.trc
schema='{"type":"schema","values":{"name":"Poll","fields":{"worker":"U8"}}}'
try '{"type":"schema","values":{"name":"Poll","fields":{"worker":"U9"}}}'
try "$schema" '{"type":"Poll","values":{"worker":1}}'
try "$schema" '{"type":"Poll","time_ns":1,"values":{}}'
try "$schema" '{"type":"Poll","time_ns":1,"values":{"worker":256}}'
try "$schema" '{"type":"Poll","time_ns":1,"values":{"worker":"seven"}}'
try '{"type":"annotation","values":{"type":"Poll","field_index":0,"key":"unit","value":"id"}}'
printf '%s\n' '{"type":"E","values":{"list":[1]}}' |
    rastrum convert --from-jsonl - --to dial9 --dialect seed -o y.trc || echo "exit $?"
