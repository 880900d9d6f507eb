# Numbers may be hexadecimal everywhere; what is too large says so.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
rastrum cat --limit 0x2 run.murk | wc -l
rastrum cat --from 0x3 --depth 0 run.murk | wc -l
rastrum cat --axis seq --from 0xa run.murk | wc -l
rastrum cat --from 99999999999999999999999 run.murk || echo "exit $?"
rastrum cat --limit 99999999999999999999999 run.murk || echo "exit $?"
rastrum cat --limit 0x run.murk || echo "exit $?"
rastrum cat --from 3x run.murk || echo "exit $?"
