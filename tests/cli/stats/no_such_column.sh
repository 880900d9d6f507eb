# A column that no table has.
cp "$GOLDEN"/dial9/runtime.trc run.trc
rastrum stats --sort nothing run.trc
