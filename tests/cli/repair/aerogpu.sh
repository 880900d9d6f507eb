# TOC and footer are rebuilt; a frame that was open has an entry without a Present.
for name in cut_footer cut_meta cut_record two_frames; do
    cp "$GOLDEN/aerogpu/$name.aerogputrace" .
done
rastrum repair cut_record.aerogputrace -o a || echo "exit $?"
rastrum verify --strict a
rastrum repair cut_footer.aerogputrace -o b
cmp b two_frames.aerogputrace
rastrum repair b -o c
cmp b c
rastrum repair cut_meta.aerogputrace -o d || echo "exit $?"
