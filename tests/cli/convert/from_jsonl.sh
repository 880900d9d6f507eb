# What cat prints builds the trace again; typed fields are enough, and a header line gives the rest.
rastrum cat --format jsonl "$GOLDEN"/murk/all_payloads.murk >a.jsonl
{
    echo '{"type":"header","values":{"seed":7,"toolchain":"1.78.0","space_descriptor":"00ff"}}'
    sed 's/"payload":"[0-9a-f]*",//' a.jsonl
} | rastrum convert --from-jsonl - -o b.murk
rastrum info b.murk | grep -E 'toolchain|seed|descriptor'
rastrum cat --format jsonl b.murk | sed 's/"offset":[0-9]*,//' >b.jsonl
sed 's/"offset":[0-9]*,//' a.jsonl | cmp - b.jsonl
rastrum convert --from-jsonl --json --to murk a.jsonl -o c.murk
