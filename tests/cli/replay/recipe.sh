# A recipe from a file for a recording that has none; one that does not fit it is refused.
tail -c +1 "$GOLDEN"/murk/world.murk >a.murk
cat >good <<EOF
murkworld 1 murk-0.1.9
space line1d 4 absorb
dt 3ff0000000000000
field a sparse 1
field b pertick 1
prop const 1 3f800000
EOF
sed 's/line1d 4/line1d 5/' good >longer
printf 'murkworld 1 ref-1\nspace line1d 4 wrap\n' >short
for recipe in good longer short; do
    rastrum replay --world-recipe $recipe a.murk || echo "exit $?"
done
while read -r line; do
    sed "s/^dt .*/$line/" good >bad
    rastrum replay --world-recipe bad a.murk || echo "exit $?"
done <<EOF
dt 7ff8000000000000
dt 0000000000000000
dt 3ff
space line1d 0 absorb
field x maybe 1
field x sparse 0
prop diffuse 0 1 3ff0000000000000
prop nothing 0
prop copy 0 7
entities 4
queue -1
what is this
EOF
