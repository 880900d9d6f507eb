# Text shows a command once: its packet's line has no fields that the command's repeats. A packet
# without its command has them, and so has one of several commands; JSON has all.
t="$GOLDEN"/aerogpu/two_frames.aerogputrace
rastrum cat "$t"
rastrum cat --fields name "$t"
rastrum cat --type packet "$t"
rastrum cat --limit 2 --fields name "$t"
rastrum cat --color always --fields name --limit 4 "$t"
rastrum cat --json --type packet --fields name "$t"
rastrum cat -t packet,command --fields name "$GOLDEN"/aerogpu/stream_in_packet.aerogputrace
