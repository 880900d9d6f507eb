# memory: 40 MiB
# A capture of any length takes the memory of one line and one chunk.
python3 "$TOOLS/capture.py" --ticks 60 --creatures 40 --no-end >part.jsonl
{
    cat part.jsonl
    for i in 1 2 3 4 5; do
        for k in 1 2 3 4 5; do
            sed 1,2d part.jsonl
        done
    done
} >long.jsonl
test "$(wc -c <long.jsonl)" -gt 30000000
rastrum finalize long.jsonl
rastrum info long.survival.run1.cdt | grep -o 'tick = .*'
