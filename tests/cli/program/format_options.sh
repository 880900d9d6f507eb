# Options of formats: help names the formats, completion offers them, other formats refuse them.
for verb in diff bisect repair cat; do
    rastrum help $verb | grep -E ' (aerogpu|atf|atf, dial9|cdt|dial9|murk): '
done
rastrum help --completion bash | grep -c -e ' --hash-only'
rastrum help --man diff | grep -A1 -e 'hash\\-only'
cd "$GOLDEN"
rastrum diff --hash-only dial9/runtime.trc dial9/runtime.trc || echo "exit $?"
rastrum diff --trust-checksums murk/cut_frame.murk murk/all_payloads.murk | head -1
rastrum slice --hash-only x || echo "exit $?"
rastrum diff --time soon x y
