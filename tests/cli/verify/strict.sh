# What is tolerated otherwise is an error under --strict.
cp "$GOLDEN"/murk/ticks_odd.murk run.murk
rastrum verify run.murk || echo $?
rastrum verify --strict run.murk || echo $?
