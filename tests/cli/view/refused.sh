# What a view cannot show, and options that it does not take.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
echo 'this is not a trace' >text
try() {
    rastrum view --no-open "$@" </dev/null || echo "exit $?"
}
try text
try none.murk
try none.murk text
try -
try --port 65536 run.murk
try --idle 0 run.murk
try --memory 1 run.murk
try --memory lots run.murk
try --json run.murk
try -o x run.murk
try --folow run.murk
