# Call trees thread by thread: the first call that differs, and what the functions cost.
calls() { # NAME; then lines of kind, depth, symbol and the time since the line before
    id=0x000000070000000
    {
        echo '{"type":"module","values":{"module_id":7,"path":"/bin/demo","uuid":null}}'
        for i in 1 2 3 4; do
            printf '{"type":"function","values":{"function_id":"%s","name":"f%s",' $id$i $i
            printf '"module_id":7,"symbol_index":%s}}\n' $i
        done
        time=1000
        while read -r kind depth symbol passed; do
            time=$((time + passed))
            printf '{"type":"event","stream":0,"values":{"timestamp_ns":%s,' $time
            printf '"function_id":"%s","thread_id":0,"event_kind":%s,' $id$symbol "$kind"
            printf '"call_depth":%s,"detail_seq":null}}\n' "$depth"
        done
    } >"$1.jsonl"
    rastrum convert --quiet --from-jsonl --to atf "$1.jsonl" -o "$1" >/dev/null
}
calls a <<END
1 1 1 0
1 2 2 10
2 2 2 10
1 2 3 10
2 2 3 10
2 1 1 10
END
calls other <<END
1 1 1 0
1 2 2 10
2 2 2 10
1 2 4 10
2 2 4 50
2 1 1 10
END
calls extra <<END
1 1 1 0
1 2 2 10
1 3 4 5
2 3 4 5
2 2 2 10
1 2 3 10
2 2 3 10
3 1 1 10
END
rastrum diff a a
rastrum diff --json a other || echo "exit $?"
rastrum diff --json other a || echo "exit $?"
rastrum diff --keep-going a extra || echo "exit $?"
rastrum diff --profile a extra || echo "exit $?"
rastrum diff --ignore function a other
rastrum bisect a extra || echo "exit $?"
rastrum bisect --json extra other a | grep -o '"nearest": [^}]*'
rastrum diff "$GOLDEN"/atf/two_threads "$GOLDEN"/atf/arm64 || echo "exit $?"
rastrum diff --time 1ms a a || echo "exit $?"
