# What verify found, with its severities and counts, and how many are left out of a long list.
for trace in atf/crashed atf/production dial9/annotations.trc \
        aerogpu/submissions_odd.aerogputrace; do
    rastrum report "$GOLDEN/$trace" -f -o r.html >/dev/null 2>&1 || echo "exit $?"
    grep -o 'Verified: [^<]*' r.html
    { rastrum verify "$GOLDEN/$trace" || true; } | tail -n 1 | sed "s,^$GOLDEN/,,"
    sed -n 's/.*<tr><td>\([a-z]*\)<.td><td class="mono">\([^<]*\).*/\1 \2/p' r.html >shown
    rastrum verify --json "$GOLDEN/$trace" |
        sed -n 's/.*"rule":"\([^"]*\)","severity":"\([^"]*\)".*/\2 \1/p' | diff shown - && echo same
done
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do cat "$GOLDEN/dial9/annotations.trc"; done >many.trc
rastrum report many.trc -f -o r.html >/dev/null 2>&1 || echo "exit $?"
grep -o 'Verified: [^<]*' r.html
grep -o 'and [0-9]* more finding[^<]*' r.html
