# A session without calls whose file of events is empty holds nothing, and is told so.
cp -r "$GOLDEN/atf/no_events" session
: >session/events.trc
rastrum verify session
