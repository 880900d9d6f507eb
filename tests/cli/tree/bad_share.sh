# No share of a hundred.
cp -r "$GOLDEN"/atf/two_threads session
rastrum tree --min-percent 101 session
