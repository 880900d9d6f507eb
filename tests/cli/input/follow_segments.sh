# A recording that rotates is followed over its segments: the last one grows, is renamed, and the
# next one comes.
. "$TOOLS/wait.sh"
from="$GOLDEN/dial9/segments"
mkdir now
rastrum cat --format jsonl "$from" >expected
head -c 490 "$from/trace.9.bin" >now/trace.9.bin.active
rastrum cat --follow --format jsonl now >followed &
pid=$!
wait_until has_lines followed 1
wait_for_looks $pid 5
tail -c +491 "$from/trace.9.bin" >>now/trace.9.bin.active
wait_until has_lines followed "$(rastrum cat "$from/trace.9.bin" | wc -l)"
mv now/trace.9.bin.active now/trace.9.bin
cp "$from/trace.10.bin.gz" compressed
mv compressed now/trace.10.bin.gz
wait_until has_lines followed 10
cp "$from/trace.11.bin.active" now/
wait_until has_lines followed "$(wc -l <expected)"
kill -INT $pid
wait $pid || echo "status $?"
cmp followed expected && echo all
