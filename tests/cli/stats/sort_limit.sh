# Rows by a column, and not all of them.
cp "$GOLDEN"/dial9/runtime.trc run.trc
rastrum stats -t types --sort size_bytes -n 3 run.trc
rastrum stats -t types --sort type -n 2 --json run.trc
