# A type that the trace does not have is said, with those it has.
rastrum cat --type player "$GOLDEN/murk/no_frames.murk"
