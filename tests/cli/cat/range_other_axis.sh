# An axis the format lacks, a time where ticks are counted.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
rastrum cat --axis time --from 1 run.murk || echo $?
rastrum cat --from 3s run.murk || echo $?
rastrum cat --axis tick --from soon run.murk || echo $?
