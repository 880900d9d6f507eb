# Files are stored in another form: no byte of the trace changes, and every verb reads it.
cp -r "$GOLDEN"/murk/all_payloads.murk "$GOLDEN"/dial9/all_types.trc .
cp -r "$GOLDEN"/aerogpu/backing.aerogputrace .
cp -r "$GOLDEN"/atf/sealed.atf "$GOLDEN"/atf/cut_event.atf .
for name in production spans two_processes half_sealed crashed odd_manifest bad_thread; do
    cp -r "$GOLDEN/atf/$name" .
done
same() {
    name=$1
    shift
    (cd plain && { rastrum "$@" x || echo "exit $?"; }) >a 2>&1
    (cd packed && { rastrum "$@" x || echo "exit $?"; }) >b 2>&1
    cmp -s a b || { echo "$name: rastrum $*: differs"; diff a b | head -5; }
}
for name in *; do
    mkdir plain packed
    cp -r "$name" plain/x
    rastrum convert --compress "$name" -o packed/x >/dev/null || echo "exit $?"
    rastrum convert --decompress packed/x -o back >/dev/null || echo "exit $?"
    diff -r back "$name" || echo "$name: files that are not part of the trace are left out"
    same "$name" cat --all
    same "$name" cat --all --merged
    same "$name" cat --all --format jsonl
    same "$name" stats
    same "$name" tree
    same "$name" export --to chrome
    same "$name" sql "select count(*) from records"
    same "$name" slice --from 1 --axis seq -o out
    same "$name" merge -o merged
    rastrum verify packed/x >v 2>&1 || true
    rastrum verify plain/x >w 2>&1 || true
    sed 's/packed/plain/' v | cmp -s - w || echo "$name: another verdict"
    rastrum diff plain/x packed/x >/dev/null 2>&1 || [ $? = 3 ] || echo "$name: a difference"
    rm -rf plain packed back a b v w
    echo "$name"
done
