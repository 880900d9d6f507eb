# A field that no row has is an error, and so is a second condition; dbg takes them as None.
cp "$GOLDEN"/cdt/big-run-golden.cdt a.cdt
rastrum query a.cdt 'ticks where kills > 3' || echo "exit $?"
rastrum dbg query a.cdt 'ticks where kills > 3' | head -n 1
rastrum query a.cdt 'ticks where prev(checkpoint.kils) > 3' || echo "exit $?"
rastrum query a.cdt 'entities where hp < 5 and uid == 1' || echo "exit $?"
rastrum query a.cdt 'entities where hp < 5 or uid == 1' || echo "exit $?"
rastrum query a.cdt 'entities where pool_kind == creature' || echo "exit $?"
rastrum query a.cdt 'entities where pos[0] == 1' || echo "exit $?"
rastrum query a.cdt 'entities where po* == 1' || echo "exit $?"
rastrum query a.cdt 'ticks where checkpoint.bonus_timers.9 > 0' || echo "exit $?"
rastrum query a.cdt 'ticks where checkpoint.perk == entity_counts' || echo "exit $?"
rastrum query a.cdt "entities where pos.x > 930 " | head -n 1
rastrum query --paths a.cdt | head -n 5
rastrum query --paths a.cdt | grep -c .
rastrum query --paths "$GOLDEN"/murk/all_payloads.murk || echo "exit $?"
