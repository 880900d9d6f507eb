# Functions, threads, modules, and calls that lack an end.
cp -r "$GOLDEN"/atf/two_threads session
rastrum stats session
cp -r "$GOLDEN"/atf/spans spans
rastrum stats -t unmatched spans
rastrum stats --from 25 --to 56 -t functions,unmatched spans
