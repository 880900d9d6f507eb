# Output is never the input, by whatever name.
cp "$GOLDEN/murk/all_payloads.murk" a.murk
ln a.murk linked.murk
ln -s a.murk symbolic.murk
cp -r "$GOLDEN/atf/two_threads" session
for out in a.murk ./a.murk linked.murk symbolic.murk; do
    for verb in cat info stats du verify slice repair convert; do
        rastrum $verb --force -o "$out" a.murk || echo "exit $?"
    done
done 2>&1 | sort | uniq -c | sed 's/^ *//'
rastrum diff --force -o a.murk a.murk "$GOLDEN/murk/all_payloads.murk" || echo "exit $?"
rastrum slice --force -o session session || echo "exit $?"
rastrum slice -o session/sub session || echo "exit $?"
rastrum cat -o session/cat.txt session || echo "exit $?"
rastrum repair --force -o session session/thread_0/index.atf || echo "exit $?"
cmp a.murk "$GOLDEN/murk/all_payloads.murk" && diff -r session "$GOLDEN/atf/two_threads" && ls
