# A finished header counts what is not there: that many are lost, wherever the file was cut.
lost() { # of a file that ends at this size
    cp -r "$GOLDEN/atf/two_threads" session
    truncate -s "$2" "session/$1"
    rastrum cat session >records 2>err && status=0 || status=$?
    rastrum repair -n --json session 2>err >json && repaired=0 || repaired=$?
    sed -n "s|.*\(\"lost\":{[^}]*}\).*|$1 $2: $status \1 $repaired|p" json
    rm -r session
}
for size in 30 64 70 160 170 319 320 330; do
    lost thread_0/index.atf $size
done
for size in 30 64 100 190; do
    lost thread_0/detail.atf $size
done
# No event is left when a closed file without events is cut inside its footer.
rastrum slice --stream 0 --from 9999 "$GOLDEN/atf/two_threads" -o none 2>err >report || :
truncate -s 90 none/thread_0/index.atf
rastrum info none | grep ending
