# A table without rows has its head, where its columns are known.
cp "$GOLDEN"/murk/no_frames.murk run.murk
cp "$GOLDEN"/dial9/all_types.trc run.trc
rastrum cat --format csv run.murk
rastrum cat --format csv --type command --fields payload_name,coord run.murk || echo "exit $?"
rastrum cat --format csv --type frame run.murk || echo "exit $?"
rastrum cat --format csv --limit 0 run.murk
rastrum cat --format csv --type nothing run.murk || echo "exit $?"
rastrum cat --json run.murk
rastrum cat run.murk
