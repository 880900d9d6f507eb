# ATF by hand: names make ids, depth is counted, a detail belongs to the event before it.
rastrum convert --from-jsonl - -o calls <<END
{"type":"header","values":{"arch":"arm64","os":"macos","clock_type":"mach_continuous"}}
{"type":"event","time_ns":10,"values":{"event_kind":"CALL","function":"main","module":"/a"}}
{"type":"event","time_ns":20,"values":{"event_kind":"CALL","function":"work","module":"/a"}}
{"type":"detail","values":{"x1":"0x2a","stack":"00ff"}}
{"type":"event","time_ns":15,"stream":3,"values":{"event_kind":"CALL","function_id":"0x0700000001"}}
{"type":"event","time_ns":30,"values":{"event_kind":"RETURN","function":"work","module":"/a"}}
{"type":"event","time_ns":40,"values":{"event_kind":2,"function":"main","module":"/a"}}
END
rastrum verify --strict --deep calls
rastrum cat --fields function,function_id,call_depth,detail_seq,index_seq,x1,stack calls
try() {
    printf '%s\n' "$@" | rastrum convert --from-jsonl - --to atf -o x || echo "exit $?"
}
try '{"type":"event","values":{"event_kind":1,"function_id":1}}'
try '{"type":"event","time_ns":1,"values":{"event_kind":1}}'
try '{"type":"event","time_ns":1,"values":{"function_id":1}}'
try '{"type":"event","time_ns":1,"values":{"event_kind":"CALLED","function_id":1}}'
try '{"type":"detail","values":{"rdi":1}}'
try '{"type":"detail","values":{"index_seq":0,"stack":"0"}}'
try '{"type":"frame","values":{}}'
call='{"type":"event","time_ns":1,"values":{"event_kind":1,"function_id":1}}'
try '{"type":"header","values":{"arch":"arm64"}}' "$call" '{"type":"detail","values":{"rdi":1}}'
try "$call" '{"type":"detail","values":{"rdi":1,"x1":2}}'
try '{"type":"header","values":{"arch":"x86_64"}}' "$call" '{"type":"detail","values":{"x7":1}}'
# No header: the registers say what the details are of, on any machine.
for register in rsi rax x7; do
    printf '%s\n' "$call" '{"type":"detail","values":{"event_type":4,"'$register'":42}}' |
        rastrum convert --from-jsonl - --to atf -o "by_$register" >by.txt
    rastrum cat --json --type detail "by_$register" | grep -o '"\(rsi\|rax\|x7\)":[^,}]*'
done
rm -r by*
ls
