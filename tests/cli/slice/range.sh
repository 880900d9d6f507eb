# Frames in range with their commands, half-open; the same slice of a slice is the same.
rastrum slice --from 2 --to 3 "$GOLDEN"/murk/all_payloads.murk -o a.murk
rastrum cat --depth 0 a.murk
rastrum verify --strict a.murk
rastrum slice --from 2 --to 3 a.murk -o b.murk
cmp a.murk b.murk
