# A range of the merged order.
cd "$GOLDEN/atf"
rastrum cat --merged --from 1010 --to 1030 --fields thread_id two_threads
