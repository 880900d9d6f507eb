# Blobs by id, as text and as JSON; a trace without any; ids that stand for several.
rastrum blob --list "$GOLDEN"/aerogpu/pictures.aerogputrace
rastrum blob --list --json "$GOLDEN"/aerogpu/appendix_a.aerogputrace
rastrum blob -l "$GOLDEN"/aerogpu/blobs_odd.aerogputrace || echo "exit $?"
rastrum blob --list "$GOLDEN"/aerogpu/empty.aerogputrace
rastrum blob --list --json - <"$GOLDEN"/aerogpu/empty.aerogputrace
rastrum blob --list "$GOLDEN"/murk/world.murk || echo "exit $?"
rastrum blob --list "$GOLDEN"/aerogpu/table.aloc || echo "exit $?"
