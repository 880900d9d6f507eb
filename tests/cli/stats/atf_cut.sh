# A session whose recorder was killed.
cp -r "$GOLDEN"/atf/crashed session
rastrum stats -t threads,unmatched session
