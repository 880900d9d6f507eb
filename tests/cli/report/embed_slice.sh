# Traces that are too large for a report with the viewer in it are there around the place, also
# those that have times and no ticks; the page says so, and what is there shows the divergence.
rastrum run arena --ticks 2000 --seed 7 -q -o good >/dev/null
rastrum run arena --ticks 2000 --seed 7 --perturb 1200:rng -q -o bad >/dev/null
status=0
rastrum report good bad --pictures 0 --embed -o r.html >/dev/null 2>err || status=$?
if grep -q 'no viewer to write' err; then
    echo 'this build has no page of its own' >&2
    exit 77
fi
cat err >&2
echo "exit $status"
grep -o '<section class="embed">.*</section>' r.html |
    sed 's/<[^>]*>//g; s/ticks from.*to [0-9]*/ticks/'
python3 - <<'END'
import base64, gzip, html, os, re
with open("r.html", encoding="utf-8") as page:
    text = page.read()
for side, path, data in re.findall(r'class="rastrum-file" data-side="([^"]*)" data-path="([^"]*)" '
                                   r'data-number="[01]">([^<]*)<', text):
    path = os.path.join("embedded", html.unescape(side), html.unescape(path))
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(gzip.decompress(base64.b64decode(data)))
print("within 5 MB" if len(text) < 5 << 20 else len(text))
END
ls embedded/good embedded/bad
for side in good bad; do
    for trace in events.trc calls; do
        whole=$(rastrum info --json $side/$trace | grep -o '"total":[0-9]*' | head -1 | cut -d: -f2)
        part=$(rastrum info --json embedded/$side/$trace | grep -o '"total":[0-9]*' | head -1 |
            cut -d: -f2)
        [ "$part" -gt 0 ] && [ "$part" -le "$whole" ] && echo "$side/$trace: a part"
    done
done
rastrum diff embedded/good/state.cdt embedded/bad/state.cdt | head -1 | cut -d' ' -f1,2
rastrum cat --json embedded/bad/events.trc | grep -c '"tick":1200' |
    sed 's/^[1-9].*/tick 1200 is there/'
