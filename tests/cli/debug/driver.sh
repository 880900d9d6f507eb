# Whether the format or core serves a verb, and what a seek used.
export RASTRUM_DEBUG=driver,index
trace=$GOLDEN/murk/all_payloads.murk
for verb in du stats verify; do
    rastrum $verb "$trace" >/dev/null
done
rastrum diff "$trace" "$trace" >/dev/null
rastrum slice --from 1 --to 2 "$trace" -o part.murk
rastrum cat --quiet --from 2 --to 3 "$GOLDEN/atf/anchors" >/dev/null
