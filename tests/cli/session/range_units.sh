# Times with units, and relative to the start.
cd "$GOLDEN/atf"
rastrum cat --type event --fields thread_id --from 1.06us two_threads
echo
rastrum cat --type event --fields thread_id --to +10ns two_threads
echo
rastrum cat --type event --fields thread_id --from +0.05us --to +55ns two_threads
echo
rastrum cat --type event --fields thread_id --from 1s two_threads || echo "exit $?"
