# Without an index diff walks the chunks. It reports the damage that cat meets on the way: bytes
# after the trailer, a second META chunk, also where there is no footer at all.
zero() { printf '\0' | dd of="$1" bs=1 seek="$2" conv=notrunc status=none; }
cp "$GOLDEN"/cdt/twice.cdt twice.cdt
zero twice.cdt 1017 # the footer's uncompressed_len
cp "$GOLDEN"/cdt/second_meta.cdt meta.cdt
zero meta.cdt 1990 # inside the footer
head -c 1967 "$GOLDEN"/cdt/second_meta.cdt >cut.cdt
for name in twice meta cut; do
    for verb in "cat -q" "diff $name.cdt" health; do
        status=0
        rastrum $verb "$name.cdt" >out 2>err || status=$?
        echo "$name: ${verb%% *} $status: $(sed 's/^rastrum: //' err | sort -u)"
    done
done
