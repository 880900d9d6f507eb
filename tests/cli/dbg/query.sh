# One condition; its traps are those of the tool that came with the format.
cp "$GOLDEN"/cdt/python.cdt a.cdt
rastrum dbg query a.cdt "entities where pool_kind == 'bonus'"
rastrum dbg query a.cdt 'entities where pool_kind == creature'
rastrum dbg query a.cdt 'entities where hp > 40' | head -n 1
rastrum dbg query --json --limit 1 a.cdt 'entities where uid == 3' |
    grep -o '"match_count": [0-9]*\|"truncated": [a-z]*'
rastrum dbg query a.cdt 'ticks where checkpoint.bonus_timers.9 == 2983' | cut -c 1-60
rastrum dbg query a.cdt 'ticks where kills' || echo "exit $?"
rastrum dbg query a.cdt 'frames where a == 1' || echo "exit $?"
rastrum dbg query --limit 0 a.cdt 'ticks where a == 1' || echo "exit $?"
rastrum dbg query a.cdt || echo "exit $?"
