# Ctrl-C leaves nothing, nor does a terminal that goes away.
for signal in INT TERM HUP; do
    timeout --preserve-status -s $signal 0.5 \
        rastrum run arena --ticks 100000000 -o run --pens murk,atf || echo "exit $?"
done
ls -A
