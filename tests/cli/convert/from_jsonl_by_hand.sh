# A line typed wrong is named, and nothing is written.
try() {
    printf '%s\n' "$@" | rastrum convert --from-jsonl - --to murk -o x.murk || echo "exit $?"
}
try 'not json'
try '{"values":{}}'
try '{"type":"frame","values":{"tick_id":1}}'
try '{"type":"frame","values":{"tick_id":-1,"snapshot_hash":0}}'
try '{"type":"command","values":{}}'
try '{"type":"frame","values":{"tick_id":1,"snapshot_hash":"0x0f","command_count":2}}'
try '{"type":"frame","values":{"tick_id":1,"snapshot_hash":0}}' '' \
    '{"type":"command","values":{"payload_name":"Move","entity_id":1,"coord":[1,2147483648]}}'
try '{"type":"ghost","values":{}}'
ls
try '{"type":"frame","values":{"tick_id":1,"snapshot_hash":0}}' \
    '{"type":"command","values":{"payload_name":"Move","entity_id":1,"coord":[1,-2]}}'
rastrum cat x.murk
