# Found by fuzzing: braces in braces were read twice at every depth.
trace="$GOLDEN"/cdt/big-run-golden.cdt
deep=$(printf '%060d' 0 | tr 0 '{')
rastrum dbg query "$trace" "ticks where tick_index == $deep" || echo "exit $?"
rastrum dbg query "$trace" 'ticks where tick_index == {1: {2: 3}, 4: {5, 6}}' || echo "exit $?"
