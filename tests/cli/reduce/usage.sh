# Wrong options are reported before a test is run.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
rastrum reduce || echo "exit $?"
rastrum reduce run.murk -o min.murk || echo "exit $?"
rastrum reduce run.murk -o min.murk -- true || echo "exit $?"
rastrum reduce -o min.murk -- true {} || echo "exit $?"
rastrum reduce run.murk -- true {} || echo "exit $?"
rastrum reduce run.murk -o - -- true {} || echo "exit $?"
rastrum reduce --jobs 0 run.murk -o min.murk -- true {} || echo "exit $?"
rastrum reduce --max-tests 0 run.murk -o min.murk -- true {} || echo "exit $?"
rastrum reduce --timeout soon run.murk -o min.murk -- true {} || echo "exit $?"
rastrum reduce --timeout 0 run.murk -o min.murk -- true {} || echo "exit $?"
rastrum reduce run.murk -o run.murk -- true {} || echo "exit $?"
rastrum reduce run.murk -o nowhere/min.murk -- true {} || echo "exit $?"
rastrum reduce none.murk -o min.murk -- true {} || echo "exit $?"
echo no trace >text
rastrum reduce text -o min.murk -- true {} || echo "exit $?"
ls
