# A cut wrapping is mended into a copy of what it held.
rastrum repair "$GOLDEN"/dial9/wrapped_cut.trc -o mended.trc 2>err | sed 's/^.*wrapped_cut.trc: //'
head -c 4 mended.trc | tr '\0' 0
echo
rastrum verify --strict mended.trc | tail -n 1
