# Several traces, one after the other; the worst status counts.
cp "$GOLDEN"/murk/config_unset.murk a.murk
cp "$GOLDEN"/murk/cut_hash.murk b.murk
rastrum cat a.murk b.murk a.murk
