# Stacks with their own time; without -o to standard output.
cp -r "$GOLDEN"/atf/two_threads session
rastrum export --to folded session
rastrum export --to folded --stream 1 session
rastrum export --to folded --quiet --until 1 --axis seq session
