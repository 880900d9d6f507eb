# -o - carries the trace, and a cut pipe can be repaired on its way.
rastrum repair - -o - <"$GOLDEN"/murk/cut_frame.murk 2>err | rastrum info - | head -4
cat err
