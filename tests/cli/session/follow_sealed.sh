# A recorder seals the files of threads that have ended while others are still to come: what
# it says of itself tells when all are there, in a manifest that takes the place of another.
. "$TOOLS/wait.sh"
for n in 0 1; do
    mkdir -p "made/thread_$n"
    cp "$GOLDEN/atf/two_threads/thread_$n/index.atf" "made/thread_$n/index.atf"
    chmod u+w "made/thread_$n/index.atf"
    printf '\0' | # no detail.atf
        dd of="made/thread_$n/index.atf" bs=1 seek=8 conv=notrunc status=none
done
rastrum cat --format jsonl --fields thread_id made 2>/dev/null | cut -d , -f 2- | sort >expected
manifest() {
    echo "{\"recorder\": {\"version\": \"0\", \"complete\": $1}}" >made.json
    mv made.json growing/manifest.json
}
mkdir -p growing
mv made/thread_1 growing
manifest false
rastrum cat --follow --format jsonl --fields thread_id growing >followed &
pid=$!
wait_until has_lines followed "$(rastrum cat -t event growing 2>/dev/null | wc -l)"
wait_for_looks $pid 5
mv made/thread_0 growing
manifest false
wait_until has_lines followed "$(wc -l <expected)"
wait_for_looks $pid 5
has_ended $pid && echo "it ended before the recorder did"
manifest true
wait_until has_ended $pid
wait $pid || echo "status $?"
cut -d , -f 2- followed | sort | cmp - expected && echo all
