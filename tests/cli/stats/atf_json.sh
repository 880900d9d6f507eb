# The columns that scripts rely on.
cp -r "$GOLDEN"/atf/two_threads session
rastrum stats --json -t functions,threads session
