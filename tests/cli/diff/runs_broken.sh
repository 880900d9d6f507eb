# Parts of a run that are missing or damaged are reported one by one; the rest is compared.
golden=$GOLDEN/cdt/big-run-golden.cdt
for run in one two; do
    "$TOOLS/make-run" $run "$golden" "$GOLDEN/aerogpu/two_frames.aerogputrace" \
        "$GOLDEN/dial9/small.trc" "$GOLDEN/atf/two_threads"
done
echo '--- a trace is missing, one is cut, one is something else'
rm two/events.trc
head -c 200 one/gpu.aerogputrace >two/gpu.aerogputrace
cp "$golden" two/other && rm -r two/calls && mv two/other two/calls
rastrum diff one two || echo "exit $?"
rastrum info two >/dev/null || echo "exit $?"
rastrum verify --deep two || echo "exit $?"
echo '--- run.json is damaged'
echo '{"run_version":1,' >two/run.json
rastrum diff one two || echo "exit $?"
rastrum info two | sed -n 1,4p
rastrum verify two || echo "exit $?"
echo '--- run.json names what is not below it'
printf '{"pens":{"cdt":{"file":"../one/state.cdt"},"murk":7,"dial9":{"file":"/etc/passwd"}}}' \
    >two/run.json
rastrum diff one two || echo "exit $?"
echo '--- nothing is left'
rm -r two && mkdir two && echo '{}' >two/run.json
rastrum info two || echo "exit $?"
