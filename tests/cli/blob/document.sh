# A blob as JSON and as a picture; the list without an ID.
t="$GOLDEN"/aerogpu/pictures.aerogputrace
rastrum blob "$t"
rastrum blob "$t" 3 --json
rastrum blob "$t" 1 --json | head -c 120; echo
rastrum blob "$t" 1 --png --size 6x6 -o p.png && head -c 4 p.png | od -c | head -1
rastrum blob "$t" 1 --png --size 7x6 -o q.png || echo "exit $?"
rastrum blob "$t" 1 --png -o q.png || echo "exit $?"
rastrum blob "$t" x || echo "exit $?"
