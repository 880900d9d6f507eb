# Plain numbers are nanoseconds; half-open.
cd "$GOLDEN/atf"
rastrum cat --type event --fields thread_id --from 1010 --to 1030 two_threads
