# One blob, byte for byte; the last one of its id.
t="$GOLDEN"/aerogpu/blobs_odd.aerogputrace
rastrum blob "$GOLDEN"/aerogpu/pictures.aerogputrace 3
rastrum blob "$GOLDEN"/aerogpu/pictures.aerogputrace 1 | wc -c
rastrum blob "$t" 1 | od -An -tx1
rastrum blob "$t" 0 -o a.bin || cat a.bin && echo
rastrum blob "$t" 0 -o a.bin || echo "exit $?"
rastrum blob "$t" 0 -o a.bin --force || echo again
rastrum blob "$t" 77 || echo "exit $?"
rastrum blob "$t" -1 || echo "exit $?"
rastrum blob "$t" two || echo "exit $?"
rastrum blob "$t" || echo "exit $?"
rastrum blob "$t" 1 --list || echo "exit $?"
