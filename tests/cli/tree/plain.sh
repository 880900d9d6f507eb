# Calls of one path are one line, threads together or one by one.
cp -r "$GOLDEN"/atf/two_threads session
rastrum tree session
rastrum tree --by-thread --sort name session
rastrum tree --thread 1 --depth 2 session
rastrum tree --min-percent 50 session
rastrum tree --folded session
