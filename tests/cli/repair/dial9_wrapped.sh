# A cut wrapping is repaired into a copy of what it held.
rastrum repair "$GOLDEN"/dial9/wrapped_cut.trc -o fixed.trc 2>err | sed 's/^.*wrapped_cut.trc: //'
head -c 4 fixed.trc | tr '\0' 0
echo
rastrum verify --strict fixed.trc | tail -n 1
