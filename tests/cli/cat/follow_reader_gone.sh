# A reader that goes away is noticed while nothing new comes.
cp "$GOLDEN"/murk/config_unset.murk run.murk
{ rastrum cat --follow run.murk || echo "status $?" >&2; } | head -n 1
