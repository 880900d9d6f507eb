# gzip is decompressed; META describes the compressed file.
python3 "$TOOLS/capture.py" --ticks 2 >capture.jsonl
gzip -9n <capture.jsonl >capture.jsonl.gz
rastrum finalize capture.jsonl.gz --out a
rastrum finalize capture.jsonl --out b
rastrum finalize - --out c <capture.jsonl.gz
rastrum cat --format jsonl a/*.cdt | sed 's/"offset":[0-9]*,//' >a.jsonl
rastrum cat --format jsonl b/*.cdt | sed 's/"offset":[0-9]*,//' | cmp - a.jsonl
rastrum cat --format jsonl c/*.cdt | sed 's/"offset":[0-9]*,//' | cmp - a.jsonl
cmp a/*.json b/*.json
sum=$(sha256sum <capture.jsonl.gz | cut -d' ' -f1)
rastrum info a/*.cdt | grep -c "$sum"
# One that is cut holds what it holds.
head -c 1000 capture.jsonl.gz >cut.gz
rastrum finalize cut.gz || echo "exit $?"
printf 'xx' | dd of=capture.jsonl.gz bs=1 seek=900 conv=notrunc status=none
rastrum finalize capture.jsonl.gz || echo "exit $?"
