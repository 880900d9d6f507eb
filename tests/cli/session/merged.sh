# One order by time over all threads; numbers stay those of the stored order.
cd "$GOLDEN/atf"
rastrum cat --merged --type event --fields thread_id two_threads
