# The same rows, callers first.
cp -r "$GOLDEN"/atf/two_threads session
rastrum tree --json session
