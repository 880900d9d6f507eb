# An existing file needs --force, and is left as it was.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
echo precious >b
rastrum cat -o b run.murk || echo $?
cat b
rastrum cat --force -o b run.murk
head -n 1 b
