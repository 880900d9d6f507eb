# A session: threads go, then events and details; links to what is gone become none.
cp -r "$GOLDEN"/atf/two_threads session
rastrum reduce session -o min -- \
    sh -c 'rastrum cat --where "stream == 0 and call_depth == 2" -t event "$1"' sh {}
rastrum cat --fields thread_id,call_depth,detail_seq min
rastrum verify min
find min -type f | LC_ALL=C sort
