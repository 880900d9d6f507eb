# A cut trace is compared as far as it goes; an unsealed one is whole; a refused one is refused.
cp "$GOLDEN"/cdt/big-run-golden.cdt a.cdt
head -c 6000 a.cdt >cut.cdt
rastrum diff a.cdt cut.cdt || echo "exit $?"
rastrum diff cut.cdt a.cdt || echo "exit $?"
rastrum bisect a.cdt cut.cdt || echo "exit $?"
rastrum tick cut.cdt 1 >/dev/null || echo "exit $?"
rastrum tick cut.cdt 9 || echo "exit $?"
rastrum health cut.cdt | head -n 4 | tail -n 1
rastrum query cut.cdt 'ticks where tick_index < 0' || echo "exit $?"
head -c -16 a.cdt >unsealed.cdt
rastrum diff a.cdt unsealed.cdt
head -c 100 a.cdt >start.cdt
rastrum diff a.cdt start.cdt || echo "exit $?"
b="$GOLDEN"/cdt/bad_checksum.cdt
rastrum diff --paranoid "$b" "$b" || echo "exit $?"
rastrum tick "$GOLDEN"/cdt/footer_count.cdt 0 || echo "exit $?"
rastrum query "$GOLDEN"/cdt/footer_count.cdt 'ticks where tick_index == 1' || echo "exit $?"
rastrum diff a.cdt "$GOLDEN"/cdt/other_schema.cdt || echo "exit $?"
rastrum diff "$GOLDEN"/cdt/other_schema.cdt "$GOLDEN"/cdt/other_schema.cdt || echo "exit $?"
