# The search ends at --max-runs, and a variable is kept.
rastrum twice --vary tz,locale --no-calls --max-runs 4 -- date +%Z || echo $?
export COLOUR=red
rastrum twice --vary env --no-calls --keep COLOUR -- sh -c 'echo $COLOUR'
rastrum twice --vary tz --no-calls --max-runs 2 -- date +%Z || echo $?
