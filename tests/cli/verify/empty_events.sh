# A session without calls whose file of events is empty is empty, and is reported as such.
cp -r "$GOLDEN/atf/no_events" session
: >session/events.trc
rastrum verify session
