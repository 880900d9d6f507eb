# A line typed wrong is named, and nothing is written.
try() {
    printf '%s\n' "$@" | rastrum convert --from-jsonl - --to aerogpu -o x || echo "exit $?"
}
try '{"type":"ghost","values":{}}'
try '{"type":"packet","values":{}}'
try '{"type":"packet","values":{"name":"DRAW","fields":{"vertex_count":3}}}'
try '{"type":"packet","values":{"name":"DRAW","fields":{"vertex_count":-1,"first_vertex":0}}}'
try '{"type":"packet","values":{"opcode":99,"fields":{"payload":"abc"}}}'
try '{"type":"packet","values":{"name":"DRAW","size_bytes":7,"fields":{}}}'
try '{"type":"packet","values":{"name":"CREATE_SHADER","fields":{"shader_id":1,"stage_name":"GS"}}}'
try '{"type":"blob","values":{"kind":1,"size":99999999999}}'
try '{"type":"blob","values":{"kind_name":"Song","data":""}}'
try '{"type":"blob","values":{"kind":1,"blob_id":1,"data":""}}' \
    '{"type":"blob","values":{"kind":1,"blob_id":1,"data":""}}'
try '{"type":"frame","values":{"frame_index":1}}' '{"type":"frame","values":{"frame_index":1}}'
try '{"type":"packet","tick":1,"values":{"name":"PRESENT","fields":{}}}' \
    '{"type":"frame","values":{"frame_index":2}}'
try '{"type":"frame","values":{}}' '{"type":"command","values":{"name":"NOP"}}'
try '{"type":"command","values":{"name":"NOP"}}' '{"type":"frame","values":{}}'
try '{"type":"submission","values":{"cmd_stream_blob_id":1,"memory_ranges":[{}]}}'
range='{"gpa":1,"size_bytes":1,"blob_id":2,"flags":"x"}'
try '{"type":"submission","values":{"cmd_stream_blob_id":1,"memory_ranges":['"$range"']}}'
try '{"type":"packet","values":{"name":"ACMD","fields":{"flags":4294967296}}}'
try '{"type":"packet","values":{"name":"ACMD"}}' \
    '{"type":"command","values":{"name":"CLEAR","fields":{"flags":1,"color_rgba":["x"]}}}'
printf '%s\n' '{"type":"submission","values":{"cmd_stream_blob_id":1}}' |
    rastrum convert --from-jsonl - --to aerogpu --dialect v1 -o x || echo "exit $?"
ls
