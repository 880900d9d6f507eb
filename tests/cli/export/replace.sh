# Output replaces another only on request, and never a trace; a directory only one of its own.
cp "$GOLDEN"/murk/all_payloads.murk a.murk
echo old > a.json
rastrum export --to chrome a.murk -o a.json || echo $?
cat a.json
rastrum export --quiet --to chrome --force a.murk -o a.json
test "$(head -c 1 a.json)" = "{"
rastrum export --to chrome --force a.murk -o a.murk || echo $?
rastrum export --quiet --to ctf a.murk -o ctf
rastrum export --to ctf a.murk -o ctf || echo $?
ls ctf | head -n 2
