# An error in an expression is reported with its column.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
cp -r "$GOLDEN"/atf/two_threads session
while read -r expression; do
    rastrum cat --where "$expression" run.murk || echo "exit $?"
done <<'END'

tick = 3
tick ==
tick == 3 and
tick == 3 tick
(tick == 3
tick in 3
tick in [1, 2
tick ~ 3
a ~ "(b"
é == "x" é
tick == 12abc
tick == 18446744073709551616
x == "unclosed
x[-1] == 3
3
tick is 3
tick >= +3ms
a == "\q"
END
rastrum cat --where 'tick == 1' --where 'time_ns > 2026-01-31' session || echo "exit $?"
deep=$(printf '%080d' 0 | tr 0 '(')
rastrum cat --where "$deep" run.murk || echo "exit $?"
long=$(head -c 70000 /dev/zero | tr '\0' ' ')
rastrum cat --where "$long" run.murk || echo "exit $?"
