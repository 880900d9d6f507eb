# What cannot be done is refused, and leaves no file.
cp "$GOLDEN/cdt/big-run-golden.cdt" a.cdt
rastrum report -o r.html || echo $?
rastrum report a.cdt a.cdt a.cdt -o r.html || echo $?
rastrum report a.cdt --tick 3 -o r.html || echo $?
rastrum report a.cdt a.cdt --tick 99 -o r.html || echo $?
rastrum report a.cdt a.cdt --pictures 7 -o r.html || echo $?
rastrum report a.cdt missing.cdt -o r.html || echo $?
rastrum report - -o r.html || echo $?
rastrum report --json a.cdt -o r.html || echo $?
ls
