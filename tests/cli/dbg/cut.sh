# A cut trace is compared as far as it goes; an unsealed one is whole; a refused one is refused.
cp "$GOLDEN"/cdt/big-run-golden.cdt a.cdt
head -c 6000 a.cdt >cut.cdt
rastrum dbg diff a.cdt cut.cdt || echo "exit $?"
rastrum dbg diff cut.cdt a.cdt || echo "exit $?"
rastrum dbg bisect a.cdt cut.cdt || echo "exit $?"
rastrum dbg tick cut.cdt 1 >/dev/null || echo "exit $?"
rastrum dbg tick cut.cdt 9 || echo "exit $?"
rastrum dbg health cut.cdt | head -n 4 | tail -n 1
rastrum dbg query cut.cdt 'ticks where tick_index < 0' || echo "exit $?"
head -c -16 a.cdt >unsealed.cdt
rastrum dbg diff a.cdt unsealed.cdt
head -c 100 a.cdt >start.cdt
rastrum dbg diff a.cdt start.cdt || echo "exit $?"
b="$GOLDEN"/cdt/bad_checksum.cdt
rastrum dbg diff "$b" "$b" || echo "exit $?"
rastrum dbg tick "$GOLDEN"/cdt/footer_count.cdt 0 || echo "exit $?"
rastrum dbg query "$GOLDEN"/cdt/footer_count.cdt 'ticks where a == 1' || echo "exit $?"
rastrum dbg diff a.cdt "$GOLDEN"/cdt/other_schema.cdt || echo "exit $?"
rastrum dbg diff "$GOLDEN"/cdt/other_schema.cdt "$GOLDEN"/cdt/other_schema.cdt || echo "exit $?"
