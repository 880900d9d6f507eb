# Options of segments that cannot be combined, or are not valid.
for how in '--keep 3' '--rotate 0K' '--rotate 5' '--rotate 5X' '--rotate 1us' \
    '--rotate 1M --keep 0' '--rotate 1M --trigger crash'; do
    echo "$how" >&2
    rastrum record $how -o x -- true || echo "exit $?"
done
[ ! -e x ] && echo "nothing is left"
