# What the lanes of a killed recorder hold is counted by every verb, and by repair what is lost.
seen() { rastrum cat --type event "$1" 2>/dev/null | wc -l; }
make() { # DIRECTORY EVENTS-IN-THE-LANE [--empty]
    rm -rf "$1"
    cp -r "$GOLDEN/atf/two_threads" "$1"
    python3 "$TOOLS/ring.py" "$1/thread_0" $2 ${3:-}
}
try() {
    echo "$1: $(seen s) events"
    rastrum repair --json s -o r --force >json 2>err && status=0 || status=$?
    sed -n 's/.*"lost":\({[^}]*}\).*"status":"\([^"]*\)".*/lost \1 \2/p' json
    echo "exit $status, $(seen r) events"
}
make s 3
for verb in cat info stats du verify; do
    rastrum $verb s 2>&1 >/dev/null && echo "exit 0" || echo "exit $?"
done
rastrum verify s | grep lane
try whole
make s 8 --empty
try "never written"
make s 0
try "all written"
make s 3
truncate -s 200 s/thread_0/lane.ring
rastrum cat s 2>&1 >/dev/null || echo "exit $?"
try cut
make s 3
: >s/thread_0/lane.ring
try empty
make s 3
printf '\377' | dd of=s/thread_0/lane.ring bs=1 seek=39 conv=notrunc status=none
try "bad offset"
make s 3
dd if=/dev/zero of=s/thread_0/lane.ring bs=1 seek=1024 count=2048 conv=notrunc status=none
try "zero events"
make s 3
cp s/thread_0/lane.ring s/thread_1/
rm s/thread_0/lane.ring
rastrum info s 2>&1 >/dev/null || echo "exit $?"
try missing
