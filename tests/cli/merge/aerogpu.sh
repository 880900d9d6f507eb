# Frames are numbered on, and blobs of the two do not meet.
for name in appendix_a submission two_frames; do
    cp "$GOLDEN/aerogpu/$name.aerogputrace" .
done
rastrum merge two_frames.aerogputrace appendix_a.aerogputrace -o a
rastrum verify --strict --deep a
rastrum cat -t frame -t blob --fields frame_index,blob_id a
rastrum merge two_frames.aerogputrace submission.aerogputrace -o b || echo "exit $?"
