# The wrapping is judged too.
cp "$GOLDEN"/murk/wrapped_trailing.murk a.murk
cp "$GOLDEN"/murk/wrapped_cut.murk b.murk
rastrum verify a.murk b.murk
