# A recorder seals the files of threads that have ended while others are still to come: what
# it says of itself tells when all are there, in a manifest that takes the place of another.
for n in 0 1; do
    mkdir -p "made/thread_$n"
    cp "$GOLDEN/atf/two_threads/thread_$n/index.atf" "made/thread_$n/index.atf"
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
until=$(($(rastrum cat --format jsonl growing 2>/dev/null | wc -l)))
i=0
while [ "$(wc -l <followed)" -lt $until ] && [ $i -lt 200 ]; do
    sleep 0.05
    i=$((i + 1))
done
sleep 0.3
mv made/thread_0 growing
manifest false
sleep 0.3
manifest true
i=0
while kill -0 $pid 2>/dev/null && [ $i -lt 200 ]; do
    sleep 0.05
    i=$((i + 1))
done
kill -INT $pid 2>/dev/null && echo "it goes on"
wait $pid || echo "status $?"
cut -d , -f 2- followed | sort | cmp - expected && echo all
