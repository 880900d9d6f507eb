# A frame that ends before its Present between two records: it is closed, and what else it would
# have held is not known.
rastrum run arena --ticks 3 --pens aerogpu -o run >/dev/null
cut=$(rastrum cat --json -t packet run/gpu.aerogputrace |
    sed -n '$s/.*"offset":\([0-9]*\),"values".*/\1/p')
head -c "$cut" run/gpu.aerogputrace >open.aerogputrace
rastrum repair -q open.aerogputrace -o whole.aerogputrace | grep -c 'was not in the trace' || :
rastrum repair -q -f open.aerogputrace -o whole.aerogputrace >/dev/null 2>&1 || echo "exit $?"
rastrum verify whole.aerogputrace
