# Each event joined with its detail.
cd "$GOLDEN/atf"
rastrum cat --with-detail --type event --fields timestamp_ns,detail_seq,index_seq,rdi two_threads
