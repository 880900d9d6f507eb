# A reader that goes away ends it quietly.
set -- 3
. "$TOOLS/long.sh"
{ rastrum cat run.murk || echo "status $?" >&2; } | head -n 1
