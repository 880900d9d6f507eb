# A profile is compressed once, whatever its name.
cp -r "$GOLDEN"/atf/two_threads session
for name in calls.pb.gz calls.pb; do
    rastrum export --quiet --to pprof session -o $name
    gunzip <$name | od -An -tx1 -N2
done
cmp calls.pb.gz calls.pb && echo "the same"
rastrum export --quiet --to folded session -o calls.folded.gz
gunzip <calls.folded.gz | head -n 1
