# Which schema ticks have is not guessed when META cannot be used: what is written has them untyped.
{
    head -c 51 "$GOLDEN/cdt/c2_newer.cdt"
    printf 'X'
    tail -c +53 "$GOLDEN/cdt/c2_newer.cdt"
} >damaged.cdt
rastrum info --json damaged.cdt | grep -o '"by_type":{[^}]*}'
rastrum slice damaged.cdt -o slice.cdt || echo "exit status $?"
rastrum info --json slice.cdt | grep -o '"by_type":{[^}]*}'
rastrum cat --json --type tick damaged.cdt | sed 's/"seq":[0-9]*,//; s/"offset":[0-9]*,//' >before
rastrum cat --json --type tick slice.cdt | sed 's/"seq":[0-9]*,//; s/"offset":[0-9]*,//' >after
cmp before after && test -s after && echo 'the same ticks'
