# Pieces of one run in any order become the run again.
rastrum slice --to 2 "$GOLDEN"/murk/all_payloads.murk -o a.murk
rastrum slice --from 2 "$GOLDEN"/murk/all_payloads.murk -o b.murk
rastrum merge b.murk a.murk -o ab.murk
cmp ab.murk "$GOLDEN"/murk/all_payloads.murk
rastrum merge --json a.murk b.murk -o ba.murk
