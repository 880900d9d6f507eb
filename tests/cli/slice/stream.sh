# To standard output, from standard input.
rastrum slice --from 2 - -o - <"$GOLDEN"/murk/all_payloads.murk | rastrum cat --depth 0 -
# By the name that info gives it, also where there is but one.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
rastrum slice --stream main run.murk -o main.murk
rastrum slice --stream "thread 1" "$GOLDEN"/atf/two_threads -o one
