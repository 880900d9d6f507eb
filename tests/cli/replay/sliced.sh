# A slice does not begin where its world does: without the world before it nothing is accused.
rastrum run arena --ticks 120 --seed 7 -o good >run.txt
rastrum slice --from 90 --to 110 good/replay.murk -o s.murk
rastrum replay s.murk || echo "exit $?"
rastrum replay --json s.murk | grep -o '"result":"[^"]*"'
rastrum record s.murk --out s.cdt || echo "exit $?"
rastrum replay --lenient-ticks s.murk || echo "exit $?"
# With it, the slice is executed and verified.
rastrum slice --from 90 --to 110 --with-state good/replay.murk -o t.murk
rastrum replay --state t.murk.state t.murk
rastrum replay --verbose --state t.murk.state t.murk | head -n 1
# The first ticks need no state.
rastrum slice --to 50 --with-state good/replay.murk -o first.murk
rastrum replay first.murk
ls
# A state that is not of this slice, of this seed, cut, or of no world at all.
rastrum slice --from 91 --to 95 good/replay.murk -o late.murk
rastrum replay --state t.murk.state late.murk || echo "exit $?"
rastrum run arena --ticks 120 --seed 8 -o other >run.txt
rastrum slice --from 90 --to 110 other/replay.murk -o u.murk
rastrum replay --state t.murk.state u.murk || echo "exit $?"
head -c 5000 t.murk.state >cut.state
rastrum replay --state cut.state t.murk || echo "exit $?"
rastrum replay --state s.murk t.murk || echo "exit $?"
rastrum replay --state nosuch t.murk || echo "exit $?"
# A recording that goes wrong before the slice has no state to save.
rastrum run arena --ticks 120 --seed 7 --perturb 50:rng -o bad >run.txt
rastrum slice --from 90 --to 110 --with-state bad/replay.murk -o v.murk || echo "exit $?"
ls v.murk* 2>/dev/null || echo "nothing is written"
rastrum slice --from 90 --with-state -o - good/replay.murk || echo "exit $?"
# Nothing executed is not ok; a bound beyond the end is said.
rastrum replay --until 0 good/replay.murk || echo "exit $?"
rastrum replay --until 9999 good/replay.murk
