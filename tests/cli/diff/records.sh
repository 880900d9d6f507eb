# Two traces of a format without rules of its own: the first record that differs.
rastrum diff "$GOLDEN"/murk/all_payloads.murk "$GOLDEN"/murk/all_payloads.murk
rastrum diff "$GOLDEN"/murk/all_payloads.murk "$GOLDEN"/murk/cut_frame.murk || echo "exit $?"
