# To standard output, from standard input.
rastrum slice --from 2 - -o - <"$GOLDEN"/murk/all_payloads.murk | rastrum cat --depth 0 -
