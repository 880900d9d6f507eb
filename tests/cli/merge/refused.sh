# Overlapping ticks, another run, another format: nothing is written.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
rastrum slice --from 3 run.murk -o late.murk
rastrum merge run.murk run.murk -o x.murk || echo "exit $?"
rastrum convert --from-jsonl --quiet --to murk - -o other.murk <<END
{"type":"frame","values":{"tick_id":9,"snapshot_hash":0}}
END
rastrum merge run.murk other.murk -o x.murk || echo "exit $?"
rastrum merge --interleave run.murk late.murk -o x.murk || echo "exit $?"
ls
