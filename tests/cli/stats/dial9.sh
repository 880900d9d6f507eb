# What the runtime of a trace did, table by table.
cp "$GOLDEN"/dial9/runtime.trc run.trc
rastrum stats run.trc
