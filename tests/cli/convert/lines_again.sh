# All of a trace as lines, and the trace of the lines: the same bytes; edited, what the lines say.
rastrum run arena --ticks 20 --seed 7 -o run >run.txt
for trace in replay.murk state.cdt gpu.aerogputrace events.trc; do
    rastrum cat --json --header --blobs "run/$trace" >"$trace.jsonl"
    rastrum convert --from-jsonl "$trace.jsonl" -o "back.$trace" >convert.txt
    cmp "run/$trace" "back.$trace" && echo "$trace: the same"
done
rastrum cat --json --header run/calls >calls.jsonl
rastrum convert --from-jsonl calls.jsonl -o back >convert.txt
diff -r run/calls back && echo "calls: the same"
# A session that was one file, and a file that came in gzip: what is inside.
gzip -k run/replay.murk
rastrum cat --json --header run/replay.murk.gz | rastrum convert --from-jsonl - -o z.murk
cmp run/replay.murk z.murk && echo "gzip: the same inside"
# One command is edited: the header stays, so that it still replays, and goes wrong there.
sed 's/"entity_id":1,/"entity_id":2,/' replay.murk.jsonl >edited.jsonl
rastrum convert --from-jsonl edited.jsonl -o edited.murk || echo "exit $?"
sed 's/"payload":"[0-9a-f]*",//' edited.jsonl >fields.jsonl
rastrum convert --from-jsonl fields.jsonl -o edited.murk
rastrum replay edited.murk | tail -n 1 | cut -d ' ' -f 1
# Without the last line it is built of the records alone.
sed '$d' replay.murk.jsonl >short.jsonl
rastrum convert --from-jsonl short.jsonl -o short.murk
cmp run/replay.murk short.murk && echo "Murk has no other bytes"
# What does not go together.
rastrum cat --header run/replay.murk || echo "exit $?"
rastrum cat --json --blobs run/replay.murk || echo "exit $?"
rastrum cat --json --header --type frame run/replay.murk || echo "exit $?"
rastrum cat --json --header --from 3 run/replay.murk || echo "exit $?"
rastrum cat --json --header run/replay.murk run/state.cdt || echo "exit $?"
# A last line that lies is refused.
sed '$s/"pieces":\[\[0,/"pieces":[[1,/' replay.murk.jsonl >lies.jsonl
rastrum convert --from-jsonl lies.jsonl -o lies.murk || echo "exit $?"
sed '$s/"sha256":"./"sha256":"x/' replay.murk.jsonl >lies.jsonl
rastrum convert --from-jsonl lies.jsonl -o lies.murk 2>said || echo "exit $?"
# The header names the version, and its hash with it.
sed 's/ x[0-9a-f]*,/ xHASH,/; s/computed [0-9a-f]*/computed HASH/' said >&2
sed '$s/"parts":.*/"parts":3}}/' replay.murk.jsonl >lies.jsonl
rastrum convert --from-jsonl lies.jsonl -o lies.murk || echo "exit $?"
ls lies.murk 2>/dev/null || echo "nothing is written"
