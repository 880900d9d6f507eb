# One trace a run, numbered by label, and its evidence; the capture is only read.
python3 "$TOOLS/capture.py" --runs 2 >capture.jsonl
python3 "$TOOLS/capture.py" --mode 3 --version 13 --ticks 3 >quest.v13.jsonl
cp capture.jsonl before
rastrum finalize capture.jsonl --out a/b
cmp capture.jsonl before
rastrum finalize quest.v13.jsonl -o a
find a -type f | sort
for trace in a/*.cdt a/b/*.cdt; do
    rastrum verify --strict --deep "$trace"
done
rastrum cat --type timing --fields tick_index,gameplay_frame,frame_dt_ms_f32,mode_fn a/*.cdt
rastrum cat --type sim_state --limit 1 a/b/capture.survival.run2.cdt
rastrum cat --type rng --limit 1 --format jsonl a/b/capture.survival.run2.cdt |
    sed 's/"offset":[0-9]*,//'
