# A trace on which the test does not fail cannot be reduced: the reason is reported.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
rastrum reduce run.murk -o min.murk -- sh -c 'exit 3' sh {} || echo "exit $?"
rastrum reduce run.murk -o min.murk -- no-such-command {} || echo "exit $?"
rastrum reduce run.murk -o min.murk -- sh -c 'kill -9 $$' sh {} || echo "exit $?"
rastrum reduce --timeout 100ms run.murk -o min.murk -- sh -c 'sleep 5' sh {} || echo "exit $?"
rastrum reduce - -o min.murk -- false {} <run.murk || echo "exit $?"
# The cause is not in a record: a byte after the last one.
printf x >>run.murk
rastrum reduce run.murk -o min.murk -- \
    sh -c '! rastrum verify "$1" && [ -s "$1" ]' sh {} || echo "exit $?"
ls
