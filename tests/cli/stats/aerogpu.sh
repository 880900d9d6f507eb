# Commands, draws and bytes of each frame; a stream alone has none.
cp "$GOLDEN"/aerogpu/appendix_a.aerogputrace a.aerogputrace
cp "$GOLDEN"/aerogpu/two_frames.aerogputrace b.aerogputrace
cp "$GOLDEN"/aerogpu/every_command.acmd c.acmd
rastrum stats a.aerogputrace b.aerogputrace
rastrum stats -n 3 -t commands,spread c.acmd
