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
say good/replay.murk drop/replay.murk
say good/state.cdt same/state.cdt
say good/gpu.aerogputrace float/gpu.aerogputrace
say good/calls same/calls
rastrum report good/state.cdt cut/replay.murk -f -o none.html || echo "exit $?"
