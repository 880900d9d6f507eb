# A plan that reaches out of the trace is none: nothing is written.
cp -r "$GOLDEN/atf/two_threads" session
echo mine >other
echo '[{"part":"../other","at":0,"remove":0,"insert":"41"}]' >plan
rastrum repair --undo plan session || echo "exit $?"
cat other
