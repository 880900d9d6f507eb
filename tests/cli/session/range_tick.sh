# Calls have no ticks.
cd "$GOLDEN/atf"
rastrum cat --axis tick --from 1 two_threads
