# Which format was chosen, and why the others were not; the answer itself stays as it is.
rastrum info "$GOLDEN/murk/all_payloads.murk" >plain
RASTRUM_DEBUG=probe rastrum info "$GOLDEN/murk/all_payloads.murk" >explained
cmp plain explained
echo '--- named' >&2
RASTRUM_DEBUG=probe rastrum info --input-format murk "$GOLDEN/murk/all_payloads.murk" >/dev/null
echo '--- none' >&2
echo 'no trace at all' >text
RASTRUM_DEBUG=probe rastrum info text || echo "exit $?"
