# The calls that are open at the end, and the time until then; samples have none.
cd "$GOLDEN"
rastrum tree --open atf/spans
rastrum tree --open --json atf/spans
rastrum tree --open atf/two_threads
rastrum tree --open --depth 1 atf/spans && exit 9
rastrum tree --open dial9/runtime.trc
