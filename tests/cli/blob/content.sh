# Vertices as a table in three shapes, by blob and by handle; what says nothing of a layout.
t="$GOLDEN"/aerogpu/pictures.aerogputrace
rastrum blob "$t" 1 --vertices
rastrum blob "$t" 1 --vertices --format csv
rastrum blob "$t" --buffer 1 --json
b="$GOLDEN"/../gpu/golden/backing.aerogputrace
rastrum blob "$b" 2 --vertices
rastrum blob "$b" 18 --vertices --format csv
rastrum blob "$b" --buffer 2 --frame 0 --format csv
fails() {
    "$@" >out || echo "exit $?"
    cat out
}
fails rastrum blob "$t" 2 --vertices
fails rastrum blob "$t" 2 --png
fails rastrum blob "$t" --buffer 7
fails rastrum blob "$b" --texture 9
fails rastrum blob "$b" --texture 2
fails rastrum blob "$GOLDEN"/../gpu/golden/depth_less.aerogputrace --texture 3
fails rastrum blob "$b" --texture 1 --json
fails rastrum blob "$b" 2 --vertices --png
fails rastrum blob "$b" --vertices
fails rastrum blob "$b" 2 --frame 1
# The target of the last frame as a file.
rastrum blob "$b" --texture 1 -o one.png && head -c 4 one.png | od -c | head -1
