# A table that is not there.
cp "$GOLDEN"/dial9/runtime.trc run.trc
rastrum stats -t polls,nothing run.trc
