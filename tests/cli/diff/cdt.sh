# The first divergence and what differs there; the report to a file, whose folders are made.
cp "$GOLDEN"/cdt/big-run-golden.cdt a.cdt
cp "$GOLDEN"/cdt/big-run-candidate.cdt b.cdt
rastrum diff a.cdt a.cdt
rastrum diff --channel rng_stream --json-out new/folder/report.json a.cdt b.cdt || echo "exit $?"
rastrum diff --json-out new/folder/report.json a.cdt b.cdt 2>/dev/null || echo "exit $?"
tail -c 3 new/folder/report.json | od -An -c
rastrum diff --json a.cdt a.cdt
rastrum diff --json --channel timing_samples a.cdt b.cdt
rastrum diff -o d.txt a.cdt b.cdt || echo "exit $?"
cat d.txt
rastrum diff --color always --channel rng_stream a.cdt b.cdt | head -n 1 | od -An -c | head -n 2
rastrum diff --keep-going --tick-start 4 --tick-end 6 a.cdt b.cdt 2>/dev/null || echo "exit $?"
rastrum diff --ignore rng_stream --ignore checkpoint.rng_state --tick-end 5 a.cdt b.cdt
rastrum diff --ignore 'rng_stream[*].caller' --channel rng_stream --tick-end 4 a.cdt b.cdt
rastrum diff --channel entity_samples --tick-end 6 a.cdt b.cdt \
    --tolerance 'entity_samples.creatures[*].hp=2.5'
rastrum diff --channel nothing a.cdt b.cdt || echo "exit $?"
rastrum diff --hash-only a.cdt b.cdt || echo "exit $?"
rastrum diff --exit-zero a.cdt b.cdt 2>/dev/null
rastrum diff --keep-going --from 4 --to 7 a.cdt b.cdt 2>/dev/null || echo "exit $?"
