# A footer that is wrong hides no tick: the chunks are walked, as cat does. dbg refuses it, as
# crimson dbg does.
for t in footer_count footer_empty footer_offset; do
    trace=$GOLDEN/cdt/$t.cdt
    cp "$trace" $t.cdt
    rastrum diff $t.cdt $t.cdt 2>said
    echo "exit $?: $(grep -c 'every record is complete' said) remarks"
    rastrum query $t.cdt 'ticks where tick_index >= 0' 2>/dev/null | head -n 1
    rastrum tick $t.cdt 0 2>/dev/null | head -n 1
    rastrum dbg diff $t.cdt $t.cdt 2>&1 || echo "exit $?"
done
