# A trace replaces a trace, a report anything but a trace; see docs/decisions/0011.
t=$GOLDEN/murk/all_payloads.murk
cp "$t" trace.murk
gzip -c "$t" >trace.gz
echo thesis >thesis.txt
: >empty
rastrum slice "$t" -o thesis.txt --force || echo "exit $?"
rastrum repair "$t" -o thesis.txt --force || echo "exit $?"
rastrum cat "$GOLDEN/murk/cut_frame.murk" -o trace.murk --force || echo "exit $?"
rastrum info "$GOLDEN/murk/cut_frame.murk" -o trace.gz --force || echo "exit $?"
cmp "$t" trace.murk
cat thesis.txt
for old in trace.murk trace.gz empty; do
    rastrum slice "$t" -o "$old" --force >/dev/null && echo "$old replaced"
done
rastrum info --json "$t" -o report.json
rastrum info --json "$t" -o report.json --force && echo report replaced
mkdir png; echo thesis >png/frame_0.png
p=$GOLDEN/aerogpu/pictures.aerogputrace
rastrum replay --size 64x64 --png png "$p" 2>&1 >/dev/null || echo "exit $?"
cat png/frame_0.png
