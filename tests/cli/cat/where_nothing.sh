# No record matches --where: exit 1; an unknown name is reported.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
rastrum cat --where 'tick == 9' run.murk || echo "exit $?"
rastrum cat --quiet --where 'tick == 9' run.murk || echo "exit $?"
rastrum cat --where 'payload_name == Move' run.murk || echo "exit $?"
rastrum cat --where 'tick_id == 2' --type command run.murk || echo "exit $?"
rastrum cat --where 'tick == 9' --limit 0 run.murk || echo "exit $?"
rastrum cat --where 'tick == 9' --exit-zero run.murk || echo "exit $?"
head -c 300 run.murk >cut.murk
rastrum cat --where 'tick == 9' cut.murk || echo "exit $?"
