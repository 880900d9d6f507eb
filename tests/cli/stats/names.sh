# Tables and columns by name: listed, nearly right, and as text shows them.
cp "$GOLDEN"/dial9/runtime.trc run.trc
rastrum stats --tables run.trc
rastrum stats -t longpolls run.trc || echo "exit $?"
rastrum stats --sort durations run.trc || echo "exit $?"
rastrum stats --sort duration -t long_polls --json run.trc | tail -n 2
rastrum stats --color always -t red_flags,setup run.trc
