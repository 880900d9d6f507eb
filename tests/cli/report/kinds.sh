# Every kind of pair: the exit status, the verdict and what is not known.
say()
{
    status=0
    rastrum report "$@" --pictures 0 -f -o r.html >/dev/null 2>err || status=$?
    echo "exit $status: $*"
    sed 's/^/  /' err
    "$TOOLS/html_report" r.html title lead | sed 's/^/  /'
}
rastrum run arena --ticks 24 --seed 7 -q -o good >/dev/null
rastrum run arena --ticks 24 --seed 7 -q -o same >/dev/null
rastrum run arena --ticks 24 --seed 8 -q -o seed >/dev/null
rastrum run arena --ticks 20 --seed 7 -q -o short >/dev/null
rastrum run arena --ticks 24 --seed 7 --pens murk,cdt -q -o few >/dev/null
rastrum run arena --ticks 24 --seed 7 --perturb 9:drop-command -q -o drop >/dev/null
rastrum run arena --ticks 24 --seed 7 --perturb 9:float -q -o float >/dev/null
say good same
say good seed
say good short
say good few
say good drop
say good float
cp -r drop cut && truncate -s 3000 cut/replay.murk
say good cut
cp -r same lost && rm lost/state.cdt
say good lost
# One of the five is not what it was: the heading says that it cannot be read, the lead why.
cp -r same garbage && printf 'no trace at all, and it never was one' >garbage/events.trc
say good garbage
cp -r same empty && : >empty/events.trc
say good empty
cp -r same another && cp same/replay.murk another/events.trc
say good another
# From the tag of an event on, wherever it is: durations have one to three bytes.
at=$(rastrum cat --json --where "type == 'tick'" same/events.trc |
    sed -n '8s/.*"offset":\([0-9]*\).*/\1/p')
cp -r same damaged && printf 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx' |
    dd of=damaged/events.trc bs=1 seek="$at" conv=notrunc status=none
say good damaged
cp -r same two && : >two/events.trc && rm -r two/calls
say good two
cp -r drop both && : >both/events.trc
say good both
cp -r same unnamed && echo nothing >unnamed/run.json
say good unnamed
# Nothing is left to compare: the report says so, and is written.
cp -r same none && rm -r none/calls && : >none/events.trc && : >none/state.cdt
: >none/replay.murk && : >none/gpu.aerogputrace && rm r.html
say good none
rastrum report good garbage --pictures 0 -f -o r.html 2>/dev/null | cut -d' ' -f1,2
rastrum report good none --pictures 0 -f -o r.html 2>/dev/null | cut -d' ' -f1,2
say good/replay.murk drop/replay.murk
say good/state.cdt same/state.cdt
say good/gpu.aerogputrace float/gpu.aerogputrace
say good/calls same/calls
rastrum report good/state.cdt cut/replay.murk -f -o none.html || echo "exit $?"
