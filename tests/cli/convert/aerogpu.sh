# Version 1 becomes 2 in two numbers, and goes back as long as it holds nothing newer.
for name in appendix_a submission; do
    cp "$GOLDEN/aerogpu/$name.aerogputrace" .
done
rastrum convert appendix_a.aerogputrace -o a
cmp -l a appendix_a.aerogputrace || echo "exit $?"
rastrum verify --strict --deep a
rastrum convert --to v1 a -o b
cmp b appendix_a.aerogputrace
rastrum convert --to v1 submission.aerogputrace -o c || echo "exit $?"
