# Times that are none.
cd "$GOLDEN/atf"
for time in 1x 1.5 ms -5 +x 12h 2024-13-01T00:00:00Z 1e3; do
    status=0
    rastrum cat --axis time --from $time --limit 1 --fields thread_id two_threads || status=$?
    echo "$time: $status"
done
