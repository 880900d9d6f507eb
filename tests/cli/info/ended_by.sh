# The signal that ended a program, the calls that were open then, and names of threads.
cp -r "$GOLDEN/atf/spans" crashed
say() { # what the manifest says of the recorder
    printf '{"threads":[{"id":0}],"format_version":"2.1","symbols":[{"function_id":"0x500000005",' \
        >crashed/manifest.json
    printf '"name":"main"}],"recorder":%s}\n' "$1" >>crashed/manifest.json
    rastrum info crashed | grep ended_by || echo "nothing is said"
}
say '{"complete":true,"crash":{"signal":11,"name":"SIGSEGV","thread_id":0,"time_ns":99}}'
say '{"crash":{"name":"SIGSEGVSIGSEGVSIGSEGV","signal":11,"thread_id":7}}'
say '{"crash":{"signal":6,"thread_id":null}}'
say '{"complete":true,"killed":true}'
say '{"crash":{"signal":"x","name":[1,{"a":2}],"thread_id":-1}}'
say '{"crash":[11]}'
say '{"threads":[{"id":0,"name":"first"},{"id":0,"name":"second"},7,{"name":"none"}],"crash":{}}'
rastrum info --json crashed | grep -o 'thread 0[^"]*'
