# What is wrong with the output is said of the output alone.
t=$GOLDEN/murk/all_payloads.murk
for verb in slice repair convert cat info; do
    rastrum $verb "$t" -o absent/x || echo "exit $?"
done
rastrum merge "$t" -o absent/x || echo "exit $?"
rastrum slice "$GOLDEN/atf/two_threads" -o absent/x || echo "exit $?"
