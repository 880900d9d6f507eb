# ATF: what cat prints of every golden builds a session that prints the same.
show() { rastrum cat --format jsonl "$@" 2>err || :; } # some are cut
bare() { grep -v '"type":"gap"' | sed 's/"seq":[0-9]*,//; s/"offset":[0-9]*,//'; }
count=0
for trace in "$GOLDEN"/atf/*; do
    # Two processes have a manifest each, the session that is built has one; and a stack of
    # 300 bytes is refused.
    case $trace in *.json* | *.rc | *.py | */big-*) continue ;; esac
    case $trace in */two_processes | */detail_payloads.atf) continue ;; esac
    show "$trace" >a.jsonl
    [ -s a.jsonl ] || continue
    rastrum convert --force --from-jsonl a.jsonl --to atf -o b >report 2>why ||
        grep -q 'lost, for which' why || echo "$trace" # exit 3
    show b | bare >b.jsonl
    bare <a.jsonl | cmp - b.jsonl || echo "$trace"
    count=$((count + 1))
done
[ $count -gt 30 ] || echo "only $count"
rastrum cat --format jsonl --type module --type function --type event --type detail \
    "$GOLDEN"/atf/two_threads | rastrum convert --from-jsonl - -o c
cmp c/thread_0/index.atf "$GOLDEN"/atf/two_threads/thread_0/index.atf
cmp c/thread_1/detail.atf "$GOLDEN"/atf/two_threads/thread_1/detail.atf
rastrum cat --type module c
