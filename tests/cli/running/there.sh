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
