# The last trace against each of those before it; standard input will not do.
cp "$GOLDEN"/murk/all_payloads.murk a.murk
rastrum bisect a.murk a.murk || echo "exit $?"
rastrum bisect a.murk a.murk "$GOLDEN"/murk/cut_frame.murk || echo "exit $?"
rastrum bisect a.murk nowhere.murk a.murk || echo "exit $?"
rastrum bisect a.murk - || echo "exit $?"
rastrum bisect a.murk || echo "exit $?"
