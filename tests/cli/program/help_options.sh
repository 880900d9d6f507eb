# A verb has only the common options that mean something to it; its exit line is its own.
rastrum help options
for verb in formats help run finalize record; do
    rastrum help $verb | grep -c -e --dialect || :
    rastrum $verb --dialect python x -o y || echo "exit $?"
done
rastrum --dialect python formats || echo "exit $?"
rastrum finalize --force x || echo "exit $?"
rastrum help -o x || echo "exit $?"
ls
for verb in formats bisect record query; do
    rastrum help $verb | sed -n '/^Exit status/,$p'
done
for verb in $(rastrum help | sed -n 's/^  \([a-z]*\)  .*/\1/p'); do
    rastrum help $verb | grep -c '^Exit status: ' >count || :
    [ "$(cat count)" = 1 ] || echo "$verb has no exit line"
    rastrum help $verb | awk 'length > 100' | sed "s/^/$verb: too wide: /"
done
