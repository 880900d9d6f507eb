# Thread after thread.
cd "$GOLDEN/atf"
rastrum cat --type event --fields thread_id two_threads
