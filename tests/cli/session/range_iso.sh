# ISO 8601 needs a wall clock.
cd "$GOLDEN/atf"
rastrum cat --from 2024-01-01T00:00:00Z two_threads
