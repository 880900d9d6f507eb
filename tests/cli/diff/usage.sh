# Two traces of one format; what a format has no use for is refused.
a="$GOLDEN"/murk/all_payloads.murk
rastrum diff "$a" || echo "exit $?"
rastrum diff - - || echo "exit $?"
rastrum diff "$a" nowhere.murk || echo "exit $?"
rastrum diff "$a" "$GOLDEN"/cdt/bad_utf8.cdt || echo "exit $?"
rastrum diff --pixels "$a" "$a" || echo "exit $?"
rastrum diff --tolerance x "$a" "$a" || echo "exit $?"
rastrum diff --tick-start x "$a" "$a" || echo "exit $?"
rastrum diff --time x "$a" "$a" || echo "exit $?"
rastrum diff --from 1 --tick-start 2 "$a" "$a" || echo "exit $?"
