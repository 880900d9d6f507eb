# The answer stands above the line that says what was lost, as a person reads them.
rastrum info "$GOLDEN/murk/cut_frame.murk" 2>&1 | sed "s,$GOLDEN/,," | sed -n '1p;$p'
