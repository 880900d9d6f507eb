# A channel that neither trace has records of was not compared: exit 2, and not "the same".
c=$GOLDEN/cdt/python.cdt g=$GOLDEN/aerogpu/two_frames.aerogputrace m=$GOLDEN/murk/config_unset.murk
for channel in checkpoint rng_stream entity_samples timing_samples; do
    rastrum diff --channel $channel "$c" "$c" || echo "$channel: exit $?"
done
rastrum diff --channel rng_stream,checkpoint "$c" "$c"
for channel in header packets submissions blobs; do
    rastrum diff --channel $channel "$g" "$g" || echo "$channel: exit $?"
done
for channel in header commands hash; do
    rastrum diff --channel $channel "$m" "$m" || echo "$channel: exit $?"
done
