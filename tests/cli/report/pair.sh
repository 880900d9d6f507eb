# Two runs that diverge: what the report says, twice the same bytes, without and with pictures.
rastrum run arena --ticks 40 --seed 7 -q -o good >/dev/null
rastrum run arena --ticks 40 --seed 7 --perturb 20:rng -q -o bad >/dev/null
{ rastrum report good bad -o report.html || echo "exit $?"; } | sed 's/ size=.*//'
rastrum report good bad -o again.html >/dev/null || true
cmp report.html again.html
"$TOOLS/html_report" report.html title lead pictures headings
"$TOOLS/html_report" report.html lines | sed 's/0x[0-9a-f]*/HEX/g; s/[0-9a-f]\{64\}/SHA/g'
test "$(wc -c <report.html)" -lt 1000000 && echo "under 1 MB"
rastrum report good bad --pictures 0 --tick 22 -o other.html | sed 's/ size=.*//'
"$TOOLS/html_report" other.html title pictures headings
rastrum report good bad >stdout.html || echo "exit $?"
cmp report.html stdout.html
python3 - <<'END'
import re
with open("report.html", encoding="utf-8") as page:
    times = page.read().split("Where the time went</h2>")[1].split("<h2>")[0]
print(" | ".join(re.findall(r"<th[^>]*>([^<]*)</th>", times.split("calls: ")[1])))
END
