# Seconds of media, where the manifest has anchors, and where not.
mkdir -p seen/thread_0
cp "$GOLDEN/atf/anchors/thread_0/index.atf" seen/thread_0
cat >seen/manifest.json <<END
{"threads":[{"id":0,"has_detail":false}],"timing_anchors":
[{"hostTimeNs":1000,"mediaTime":2.0},{"hostTimeNs":1070,"mediaTime":2.7}]}
END
rastrum cat --at-media-seconds 2.5 --fields timestamp_ns seen
rastrum cat --at-media-seconds 2.5 --to 1060 --fields timestamp_ns seen
rastrum slice --at-media-seconds 2.6 seen -o late
rastrum cat --at-media-seconds 2.5 --from 3 seen || echo $?
rastrum cat --at-media-seconds 2.5 --axis seq seen || echo $?
cd "$GOLDEN/atf"
rastrum cat --at-media-seconds 0 --limit 1 --fields thread_id anchors || echo $?
rastrum cat --at-media-seconds 0 two_threads || echo $?
rastrum cat --at-media-seconds soon anchors || echo $?
