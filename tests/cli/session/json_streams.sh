# One stream a thread; both axes only where they are.
cd "$GOLDEN/atf"
rastrum info --json two_threads | grep -E "axes|streams"
