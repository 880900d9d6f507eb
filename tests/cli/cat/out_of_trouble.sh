# No trace, no file.
cp "$GOLDEN"/murk/version_2.murk run.murk
rastrum cat -o b run.murk || echo $?
ls
