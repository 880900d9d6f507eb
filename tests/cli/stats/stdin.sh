# - is standard input, also wrapped.
gzip -c <"$GOLDEN"/dial9/runtime.trc | rastrum stats -t polls -
