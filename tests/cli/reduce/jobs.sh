# The result does not depend on how many tests run at a time, nor does their number.
cp "$GOLDEN"/murk/big-steady.murk run.murk
odd='n=$(rastrum cat -t command --where "tick in [9, 40, 41, 77]" "$1" | wc -l); [ $n -ge 5 ]'
for jobs in 1 2 3 8; do
    rastrum reduce --jobs $jobs run.murk -o min$jobs.murk -- sh -c "$odd" sh {} |
        sed 's/^min[0-9]*/min/'
    cmp min1.murk min$jobs.murk
done
