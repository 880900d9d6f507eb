# A plan that reaches out of the trace is none: nothing is written.
cp -r "$GOLDEN/atf/two_threads" session
echo mine >other
state='{"size":5,"sha256":"'$(sha256sum other | cut -d' ' -f1)'"}'
echo '{"undo_version":1,"parts":[{"part":"../other","now":'$state',"then":'$state'}],
 "patches":[{"part":"../other","at":0,"remove":0,"insert":"41"}]}' >plan
rastrum repair --undo plan session || echo "exit $?"
cat other
