# A topic that does not exist is refused before anything is done.
for topics in prob all,sorce x; do
    RASTRUM_DEBUG=$topics rastrum info "$GOLDEN/murk/all_payloads.murk" || echo "exit $?"
done
# An empty list reports nothing.
RASTRUM_DEBUG= rastrum info "$GOLDEN/murk/all_payloads.murk" >/dev/null
RASTRUM_DEBUG=, rastrum info "$GOLDEN/murk/all_payloads.murk" >/dev/null
