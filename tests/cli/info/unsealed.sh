# An unsealed trace has lost nothing: a remark, status 0.
cp "$GOLDEN"/aerogpu/unsealed.aerogputrace run
rastrum info run | grep ending
rastrum info --quiet run >/dev/null
