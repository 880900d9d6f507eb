# A field that a record does not have is refused, with what is near; an annotation may name its
# field. What is made up or has no place is exit 3.
build() { # FORMAT LINE...
    format=$1
    shift
    printf '%s\n' "$@" | rastrum convert -f --from-jsonl --to "$format" - -o out || echo "exit $?"
}
build murk '{"type":"frame","values":{"tick_id":1,"snapshot_hash":3,"snapshothash":3}}'
build murk '{"type":"header","values":{"sead":1}}' '{"type":"frame","values":{"tick_id":1}}'
build atf '{"type":"event","time_ns":1,"values":{"function_id":1,"event_kind":1,"call_dept":0}}'
build aerogpu '{"type":"frame","values":{"frame_index":0,"frameindex":1}}'
build cdt '{"type":"tick","values":{"tick_index":1,"elapsd_ms":2}}'
build cdt '{"type":"header","values":{"producer":{"impel":"python"}}}'
say() { rastrum cat --json "$1" 2>/dev/null; }
inside() { # FORMAT: lines on standard input, one of which has a name that is none
    cat >lines
    rastrum convert -f --from-jsonl --to "$1" lines -o out || echo "exit $?"
}
say "$GOLDEN"/aerogpu/two_frames.aerogputrace | sed 's/"fields":{/&"bufer_id":1,/' |
    inside aerogpu
say "$GOLDEN"/aerogpu/submission.aerogputrace | sed 's/"gpa":/"gpu":1,&/' | inside aerogpu
say "$GOLDEN"/murk/all_payloads.murk |
    sed 's/"payload":"[0-9a-f]*",//; s/{"field_id":/{"feld_id":1,"field_id":/' | inside murk
say "$GOLDEN"/murk/all_payloads.murk |
    sed 's/"payload":"[0-9a-f]*",//; s/"value":2.5}/"value":{"bits":"0x40200000","x":1}}/' |
    inside murk
schema='{"type":"schema","values":{"name":"Poll","fields":{"worker":"Varint","where":"String"}}}'
build dial9 "$schema" '{"type":"Poll","time_ns":1,"values":{"worker":1,"where":"x","wher":2}}'
build dial9 "$schema" \
    '{"type":"annotation","values":{"type":"Poll","field":"where","key":"unit","value":"us"}}'
rastrum cat --json -t annotation out
build dial9 "$schema" \
    '{"type":"annotation","values":{"type":"Poll","field":"wher","key":"unit","value":"us"}}'
note='"type":"Poll","field":"where","field_index":0,"key":"a","value":"b"'
build dial9 "$schema" "{\"type\":\"annotation\",\"values\":{$note}}"
echo '--- made up, lost'
g=$GOLDEN/aerogpu/two_frames.aerogputrace
rastrum cat --json "$g" >lines
rastrum convert -f --from-jsonl --to aerogpu lines -o out || echo "exit $?"
rastrum cat --json --header --blobs "$g" >lines
rastrum convert -f --from-jsonl --to aerogpu lines -o out >report && cmp out "$g"
rastrum convert -f "$GOLDEN/dial9/annotations.trc" --to seed -o out || echo "exit $?"
build dial9 '{"type":"gap","values":{"length":1}}' '{"type":"E","time_ns":1,"values":{"a":1}}'
