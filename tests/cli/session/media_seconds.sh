# Seconds of media, where the manifest has anchors, and where not.
cd "$GOLDEN/atf"
rastrum cat --at-media-seconds 0 --limit 1 --fields thread_id anchors || echo $?
rastrum cat --at-media-seconds 0 two_threads || echo $?
rastrum cat --at-media-seconds soon anchors || echo $?
