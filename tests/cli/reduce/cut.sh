# The complete records of a cut trace are reduced, and the loss is reported.
head -c 560 "$GOLDEN"/murk/all_payloads.murk >cut.murk
rastrum reduce cut.murk -o min.murk -- sh -c 'rastrum cat --where "tick == 2" "$1"' sh {} ||
    echo "exit $?"
rastrum verify min.murk
