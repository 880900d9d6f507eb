# An output whose name ends in .gz or .zst is compressed, by every verb that writes a file, and
# reads back; what writers complete last is complete in it.
cp "$GOLDEN"/aerogpu/appendix_a.aerogputrace a.aerogputrace
cp "$GOLDEN"/dial9/big-steady.trc a.trc
cp "$GOLDEN"/cdt/cut_block.cdt cut.cdt
check() { # NAME: of the plain file and, with an end, of the compressed ones
    gzip -dc "$1.gz" | cmp - "$1"
    /usr/bin/python3 "$TOOLS"/zstd.py -d <"$1.zst" | cmp - "$1"
}
for end in "" .gz .zst; do
    rastrum slice -q --from 0 --to 1 a.aerogputrace -o s$end >report
    rastrum merge -q a.trc a.trc -o m$end >report
    rastrum convert -q a.trc --to seed -o c$end >report || echo "exit $?"
    rastrum repair -q cut.cdt -o r$end >report || echo "exit $?"
    rastrum cat -q --json a.trc -o j$end
    rastrum info --json a.trc -o i$end
done
for name in s m c r j i; do check $name; done
rastrum info m.gz | grep size
rastrum verify r.zst
rastrum cat --json m.zst | tail -n 1
rastrum slice a.trc -o m.gz || echo "exit $?"
rastrum repair -q -f m.gz -o again.gz >report
gzip -dc again.gz | cmp - m
ls -A
