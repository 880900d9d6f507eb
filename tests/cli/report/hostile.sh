# Names and values that would be markup stay text.
name='<img src=x onerror=alert(1)>&"'"'"
mkdir "$name"
cp -r "$GOLDEN/cdt/big-run-golden.cdt" "$name/a.cdt"
cp "$GOLDEN/cdt/big-run-candidate.cdt" "$name/b.cdt"
rastrum report "$name/a.cdt" "$name/b.cdt" -o r.html | sed 's/ size=.*//'
"$TOOLS/html_report" r.html title lead
grep -c '&lt;img src=x onerror=alert(1)&gt;' r.html
grep -c '<img' r.html || true
for trace in "$GOLDEN"/dial9/*.trc; do
    rastrum report "$trace" -f -o r.html >/dev/null 2>&1 || true
    test ! -e r.html || "$TOOLS/html_report" r.html
done
