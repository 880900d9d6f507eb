# The size of a canvas: stated, found by viewports, or a default; each is said, as text and JSON.
t="$GOLDEN"/aerogpu/pictures.aerogputrace
rastrum cat --json --header --blobs "$t" | grep -v '"type":"exact"' >lines
made() {
    sed "$1" lines >edited
    rastrum convert --from-jsonl edited -o "$2" >/dev/null
    rastrum replay --backend software --frame 1 "$2" | cut -d' ' -f1-3
    rastrum replay --backend software --frame 1 --json "$2" 2>/dev/null |
        grep -o '"width":[0-9]*,"height":[0-9]*\|"size_from":"[a-z_]*"'
}
made '' default.aerogputrace
made 's/"width_px":40,"height_px":24/"width_px":320,"height_px":24/' wide.aerogputrace
made 's/"width_px":0,"height_px":0/"width_px":30,"height_px":10/' small.aerogputrace
size() {
    printf '%s' 's/command_abi_version\\":1}/command_abi_version\\":1,\\"canvas_width\\":' "$1" \
        ',\\"canvas_height\\":' "$2" '}/'
}
made "$(size 96 48)" stated.aerogputrace
made "$(size 96 0)" zero.aerogputrace
made "$(size 100000 100000)" huge.aerogputrace
# The requested size is used as given; two traces are compared on one canvas.
rastrum replay --size 10x20 --json --frame 1 stated.aerogputrace | grep -o '"size_from":"[a-z_]*"'
rastrum diff --pixels stated.aerogputrace default.aerogputrace
rastrum bisect --draws stated.aerogputrace default.aerogputrace
# A slice keeps the canvas of its trace, and what it was found by.
rastrum slice --from 0 --to 1 small.aerogputrace -o slice.aerogputrace >/dev/null
rastrum slice --from 0 --to 1 slice.aerogputrace -o again.aerogputrace >/dev/null
for i in small slice again; do
    rastrum replay --backend software --frame 0 $i.aerogputrace
done
# Compressed, and out of a pipe: the same.
gzip -c small.aerogputrace >small.gz
rastrum replay --backend software --frame 0 small.gz
rastrum replay --backend software --frame 0 - <small.aerogputrace
cat small.aerogputrace | rastrum replay --backend software --frame 0 -
