# --input-format overrides what the bytes say.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
rastrum info --input-format murk run.murk | head -n 2
rastrum info --input-format aerogpu run.murk || echo $?
rastrum info --input-format nonsense run.murk || echo $?
