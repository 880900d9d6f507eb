# A capture bundle: the trace directory in it is found, its own manifest is not that of a trace.
mkdir -p run.adabundle/trace/session_20260101_000000
cp -r "$GOLDEN"/atf/two_threads run.adabundle/trace/session_20260101_000000/pid_7
echo '{"version":1,"session_name":"run","trace_root":"trace","screen_path":"screen.mp4"}' \
    >run.adabundle/manifest.json
echo '{"session_id":"run","status":"complete","pid":7}' >run.adabundle/session.json
: >run.adabundle/screen.mp4
rastrum info run.adabundle
rastrum verify run.adabundle
rastrum stats -t threads run.adabundle
