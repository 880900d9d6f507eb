# Options of every verb may come before it; --color wants no argument; --colour is the same.
cp "$GOLDEN"/murk/no_frames.murk a.murk
rastrum info --json a.murk >want
rastrum --json info a.murk | cmp - want
rastrum -q --color never --json info a.murk | cmp - want
rastrum --color=never info a.murk | head -n 1
rastrum --output=said --force info a.murk
head -n 1 said
rastrum cat --color --limit 1 "$GOLDEN"/murk/all_payloads.murk | cat -v
rastrum cat --colour always --limit 1 "$GOLDEN"/murk/all_payloads.murk | cat -v
rastrum --colour cat --limit 1 "$GOLDEN"/murk/all_payloads.murk | cat -v
rastrum -v
rastrum --bogus info a.murk || echo "exit $?"
rastrum --json || echo "exit $?"
