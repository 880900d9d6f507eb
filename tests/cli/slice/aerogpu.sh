# A frame with the blobs it names; its index stays, and meta_json has the first frame.
for name in submission two_frames; do
    cp "$GOLDEN/aerogpu/$name.aerogputrace" .
done
rastrum slice --from 1 two_frames.aerogputrace -o a
rastrum verify --strict --deep a
rastrum cat --fields frame_index,name,blob_id a
rastrum info --json a | grep -o '"first_frame_index":[0-9]*'
rastrum verify --strict --dialect v1 a || echo "exit $?"
rastrum slice submission.aerogputrace -o b
cmp b submission.aerogputrace
# Only the requested records, and those that they need.
rastrum slice --type submission --json submission.aerogputrace -o c
rastrum cat --fields blob_id,cmd_stream_blob_id,name c
