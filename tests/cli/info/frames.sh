# Ticks of GPU commands are frames, in text: the keys of JSON are those of every format.
t="$GOLDEN"/aerogpu/two_frames.aerogputrace
rastrum info "$t" | grep ' to '
rastrum info --json "$t" | grep -o '"tick[a-z_]*":' | sort -u
rastrum cat --type frame --fields frame_index "$t"
