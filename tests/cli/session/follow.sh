# --follow on a session: events of files that grow, and of threads that appear.
. "$TOOLS/wait.sh"
for n in 0 1; do
    mkdir -p "whole/thread_$n"
    head -c 320 "$GOLDEN/atf/two_threads/thread_$n/index.atf" >"whole/thread_$n/index.atf"
done
rastrum cat --format jsonl --fields thread_id whole 2>/dev/null | cut -d , -f 2- | sort >expected
mkdir -p growing/thread_0
head -c 64 whole/thread_0/index.atf >growing/thread_0/index.atf
tail -c +65 whole/thread_0/index.atf >rest
rastrum cat --follow --format jsonl --fields thread_id growing >followed &
pid=$!
/usr/bin/python3 "$TOOLS/grow.py" rest growing/thread_0/index.atf 5
mkdir growing/thread_1
/usr/bin/python3 "$TOOLS/grow.py" whole/thread_1/index.atf growing/thread_1/index.atf 5
wait_until has_lines followed 16
kill -INT $pid
wait $pid || echo "status $?"
cut -d , -f 2- followed | sort | cmp - expected
wc -l <followed
