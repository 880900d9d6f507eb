# A thread that is not there.
cp -r "$GOLDEN"/atf/two_threads session
rastrum tree --thread 1,77 session
