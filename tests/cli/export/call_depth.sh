# Open calls of each thread as a counter, where that is requested.
cp -r "$GOLDEN"/atf/two_threads session
rastrum export --quiet --to chrome session | grep '"ph":"C"' || echo "not by default"
rastrum export --to chrome --call-depth session | grep '"ph":"C"'
cp "$GOLDEN"/murk/all_payloads.murk a.murk
rastrum export --to chrome --call-depth a.murk || echo $?
rastrum export --to csv --type event --call-depth session || echo $?
rastrum run arena --seed 7 --ticks 3 -o run >/dev/null 2>&1
rastrum export --quiet --to chrome --call-depth run | grep -c 'call depth of thread 0' >counted
test "$(cat counted)" -gt 3 && echo "also in a run"
