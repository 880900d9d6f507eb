# Ctrl-C leaves nothing.
timeout --preserve-status -s INT 0.5 rastrum run arena --ticks 100000000 -o run --pens murk,atf ||
    echo "exit $?"
ls -A
