# A recording of which rotation has deleted all that had events is its last manifest alone.
mkdir -p kept/pid_3 other
cat >kept/pid_3/manifest.json <<'END'
{"threads": [], "modules": [], "symbols": [],
 "drops": [{"thread_id": 0, "events": 3000, "reason": "deleted"}], "format_version": "2.1"}
END
rastrum info kept
rastrum verify kept
rastrum cat kept
rastrum stats --json kept | grep -c '"total_events"'
rastrum sql kept 'SELECT count(*) FROM record'
rastrum repair kept -o repaired
rastrum report kept -o kept.html
echo '{"threads": 3}' >other/manifest.json
rastrum info other || echo "exit $?"
