# A GPU trace by hand: names for numbers, counts and reserved fields left out, frames in order.
row() {
    printf '{"type":"%s","values":{%s}}\n' "$1" "${2-}"
}
does() {
    printf '{"type":"%s","values":{"name":"%s","fields":{%s}}}\n' "$@"
}
{
    row header '"emulator_version":"by hand","notes":"one\ttwo"'
    row blob '"blob_id":7,"kind_name":"ShaderWgsl","text":"fn vs_main() {}\n"'
    row blob '"blob_id":8,"kind_name":"AerogpuCmdStream"'
    does packet CREATE_SHADER '"shader_id":1,"stage_name":"FS","glsl_blob_id":0,"wgsl_blob_id":7,
        "dxbc_blob_id":0' | tr -d '\n'
    echo
    row submission '"cmd_stream_blob_id":8'
    does command SET_SAMPLERS '"shader_stage_name":"Pixel","start_slot":0,"samplers":[4,5]'
    does command UPLOAD_RESOURCE '"resource_handle":1,"offset_bytes":0,"data":"0102030405"'
    row frame
    does packet CLEAR '"r":1,"g":0.5,"b":0,"a":"NaN"'
    does packet ACMD
    does command SET_VERTEX_BUFFERS '"start_slot":0,"bindings":[
        {"buffer":1,"stride_bytes":8,"offset_bytes":0}]' | tr -d '\n'
} | rastrum convert --from-jsonl --to aerogpu - -o a.aerogputrace
rastrum cat --format jsonl a.aerogputrace | sed 's/"stream":0,"offset":[0-9]*,//'
rastrum verify --strict --deep a.aerogputrace
rastrum info --json a.aerogputrace | grep -o '"producer":.*'
does command FLUSH | rastrum convert --from-jsonl --to aerogpu - -o b.acmd
rastrum cat b.acmd
row alloc '"alloc_id":1,"gpa":"0x1000","size_bytes":72' |
    rastrum convert --from-jsonl --to aerogpu - -o c.aloc
rastrum cat c.aloc
