# A GPU trace by hand: names for numbers, counts and reserved fields left out, frames by their order.
rastrum convert --from-jsonl --to aerogpu - -o a.aerogputrace <<'END'
{"type":"header","values":{"emulator_version":"by hand","notes":"one\ttwo"}}
{"type":"blob","values":{"blob_id":7,"kind_name":"ShaderWgsl","text":"fn vs_main() {}\n"}}
{"type":"blob","values":{"blob_id":8,"kind_name":"AerogpuCmdStream"}}
{"type":"packet","values":{"name":"CREATE_SHADER","fields":{"shader_id":1,"stage_name":"FS","glsl_blob_id":0,"wgsl_blob_id":7,"dxbc_blob_id":0}}}
{"type":"submission","values":{"cmd_stream_blob_id":8}}
{"type":"command","values":{"name":"SET_SAMPLERS","fields":{"shader_stage_name":"Pixel","start_slot":0,"samplers":[4,5]}}}
{"type":"command","values":{"name":"UPLOAD_RESOURCE","fields":{"resource_handle":1,"offset_bytes":0,"data":"0102030405"}}}
{"type":"frame","values":{}}
{"type":"packet","values":{"name":"CLEAR","fields":{"r":1,"g":0.5,"b":0,"a":"NaN"}}}
{"type":"packet","values":{"name":"ACMD","fields":{}}}
{"type":"command","values":{"name":"SET_VERTEX_BUFFERS","fields":{"start_slot":0,"bindings":[{"buffer":1,"stride_bytes":8,"offset_bytes":0}]}}}
END
rastrum cat --format jsonl a.aerogputrace | sed 's/"stream":0,"offset":[0-9]*,//'
rastrum verify --strict --deep a.aerogputrace
rastrum info --json a.aerogputrace | grep -o '"producer":.*'
echo '{"type":"command","values":{"name":"FLUSH"}}' |
    rastrum convert --from-jsonl --to aerogpu - -o b.acmd
rastrum cat b.acmd
echo '{"type":"alloc","values":{"alloc_id":1,"gpa":"0x1000","size_bytes":72}}' |
    rastrum convert --from-jsonl --to aerogpu - -o c.aloc
rastrum cat c.aloc
