# The published query methods of ATF as tables.
cp -r "$GOLDEN"/atf/two_threads session
cp -r "$GOLDEN"/atf/spans open
rastrum stats -t summary,findings,spans,events --limit 5 session
rastrum stats --json -t summary,findings open
rastrum stats --json -t spans --offset 1 --limit 3 open
rastrum stats --json -t events --offset 14 session
