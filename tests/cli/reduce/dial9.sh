# A stream of events: events go, with the pool entries that nothing names any more.
cp "$GOLDEN"/dial9/big-steady.trc run.trc
rastrum reduce run.trc -o min.trc -- \
    sh -c 'n=$(rastrum cat --where "worker in [100, 250]" "$1" | wc -l); [ $n = 2 ]' sh {}
rastrum cat --fields worker,what,note min.trc
rastrum verify min.trc
