# Types on request come only when named.
cd "$GOLDEN/atf"
rastrum cat --type span --fields function,start_ns,end_ns two_threads | head -n 3
rastrum cat --type thread two_threads
rastrum cat --type function,module --fields name,path two_threads
