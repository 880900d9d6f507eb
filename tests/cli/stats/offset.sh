# Rows after the first ones, in the order in which they are sorted; figures are never left out.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
rastrum stats -t types --sort commands --offset 5 run.murk
rastrum stats --json -t types --offset 1 --limit 2 run.murk
rastrum stats --json -t types --offset 99 run.murk
rastrum stats -t summary --offset 3 --limit 1 "$GOLDEN"/atf/two_threads | wc -l
