# One condition; its traps are those of the tool that came with the format.
cp "$GOLDEN"/cdt/python.cdt a.cdt
rastrum query a.cdt "entities where pool_kind == 'bonus'"
rastrum query a.cdt 'entities where uid == 99' || echo "exit $?"
rastrum query a.cdt 'entities where hp > 40' | head -n 1
rastrum query --json --limit 1 a.cdt 'entities where uid == 3' |
    grep -o '"match_count": [0-9]*\|"truncated": [a-z]*'
rastrum query a.cdt 'ticks where checkpoint.bonus_timers.9 == 2983' | cut -c 1-60
rastrum query a.cdt 'ticks where kills' || echo "exit $?"
rastrum query a.cdt 'frames where a == 1' || echo "exit $?"
rastrum query a.cdt || echo "exit $?"
