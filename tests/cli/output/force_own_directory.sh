# --force replaces a directory only where every file in it is ours, hidden files included.
s=$GOLDEN/atf/two_threads
rastrum slice "$s" -o out >/dev/null
rastrum slice "$s" -o out || echo "exit $?"
rastrum slice "$s" -o out --force >/dev/null && echo replaced
refuse() {
    rastrum slice "$s" -o "$1" --force || echo "exit $?"
    rastrum repair "$s" -o "$1" --force 2>&1 || echo "exit $?"
    rastrum run arena --ticks 2 -o "$1" --force || echo "exit $?"
    find "$1" | LC_ALL=C sort
}
mkdir -p json/sub hidden/.git
echo '{}' >json/package.json
echo '{}' >json/sub/thesis.json
refuse json
echo config >hidden/.git/config
refuse hidden
for foreign in .notes thread_0/notes.txt manifest.json.orig; do
    echo mine >"out/$foreign"
    rastrum slice "$s" -o out --force || echo "exit $?"
    rm "out/$foreign"
done
ln -s /etc/passwd out/thread_0/link
rastrum slice "$s" -o out --force || echo "exit $?"
rm out/thread_0/link
cp out/thread_0/index.atf kept
printf thesis >out/thread_0/index.atf # the name of one of ours is not enough
rastrum slice "$s" -o out --force || echo "exit $?"
cp kept out/thread_0/index.atf
rastrum slice "$s" -o out --force >/dev/null && echo replaced
mkdir names; echo f >names/functions.map
rastrum slice "$s" -o names --force || echo "exit $?"
ls -A
