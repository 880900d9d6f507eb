# A disk that is full: which file, and nothing is left, also of what the recorder has made.
set +e
trap '' XFSZ
(
    ulimit -f 64
    rastrum run arena --ticks 600 -o run; echo "exit $?"
    rastrum run arena --ticks 600 --pens atf -o run; echo "exit $?"
    rastrum run arena --ticks 600 --pens murk -o run; echo "exit $?"
)
ls -A
