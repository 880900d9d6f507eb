# What a session lacks is said by every verb that reads it, and is an error to verify.
other=$GOLDEN/atf/two_threads
try() { # SESSION
    for verb in "cat --limit 1" cat "cat --merged" stats tree du info "diff $other" \
        "slice --force -o out" "repair -n"; do
        rastrum $verb "$1" >/dev/null 2>err && status=0 || status=$?
        echo "${verb%% *}: exit $status: $(grep -c "$2" err)"
    done
    rastrum verify "$1" | grep -c "error: .*$2" || :
}
cp -r "$GOLDEN/atf/two_threads" lost
rm -r lost/thread_1
echo "a thread that the manifest lists"
try lost "thread 1"
ln -s ../elsewhere lost/thread_1
mkdir elsewhere; cp "$GOLDEN"/atf/two_threads/thread_1/* elsewhere/
echo "a link in its place"
try lost "thread 1"
cp -r "$GOLDEN/atf/two_threads" broken
echo '{"threads": [' >broken/manifest.json
echo "a manifest that is not JSON"
try broken "not JSON"
# Half of a surrogate pair in one name loses that name alone.
cp -r "$GOLDEN/atf/two_threads" half
sed -i '0,/"name": "main"/s//"name": "ma\\ud800in"/' half/manifest.json
rastrum cat --fields function half | grep -c "event function="
rastrum verify half | grep -c surrogate
