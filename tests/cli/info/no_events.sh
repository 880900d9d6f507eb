# A trace without records says so loudly.
cp "$GOLDEN"/murk/no_frames.murk run.murk
rastrum info run.murk | grep -i -E "records|holds"
rastrum info --json run.murk | grep -E "records|notes"
