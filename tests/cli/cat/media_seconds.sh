# Seconds of media, where a trace has none.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
rastrum cat --at-media-seconds 1 run.murk
