# Measured as far as it goes; one line says what was lost.
cp "$GOLDEN"/dial9/cut_runtime.trc run.trc
rastrum stats -t red_flags,workers run.trc
