# A directory that is there: empty, a run's, somebody's.
set +e
mkdir empty somebody
echo mine >somebody/notes.txt
rastrum run arena --ticks 5 -o empty --pens murk
rastrum run arena --ticks 6 -o empty --pens murk
rastrum run arena --ticks 7 -o empty --force
rastrum run arena --ticks 8 -o empty --pens murk --force
ls empty
rastrum run arena --ticks 5 -o somebody
rastrum run arena --ticks 5 -o somebody --force
echo other >empty/notes.txt
rastrum run arena --ticks 5 -o empty --force
echo a file >plain
rastrum run arena --ticks 5 -o plain --force
ls -A . somebody empty
# A link leads to the one that is meant, and stays.
rastrum run arena --ticks 5 -o mine --pens murk --quiet >/dev/null
ln -s mine link
rastrum run arena --ticks 9 -o link --pens murk --force
[ -L link ] && cat mine/run.json | grep -o '"ticks":9'
rastrum run arena --ticks 5 -o ''
rastrum run arena --ticks 5 -o no/such/place
ls -A
