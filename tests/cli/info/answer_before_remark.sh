# The answer comes before the line that reports the loss.
rastrum info "$GOLDEN/murk/cut_frame.murk" 2>&1 | sed "s,$GOLDEN/,," | sed -n '1p;$p'
