# A directory that may not be looked into is not passed over in silence.
cp -r "$GOLDEN"/atf/two_threads run
chmod 711 .. .
chmod -R a+rX run
chmod 0 run/thread_1
as=
[ "$(id -u)" != 0 ] || as="setpriv --reuid 65534 --regid 65534 --clear-groups"
$as test -x "$RASTRUM" || { echo "another user cannot run it" >&2; exit 77; }
$as "$RASTRUM" info run | grep -E 'threads|denied' || echo "exit $?"
$as "$RASTRUM" cat --limit 1 --fields thread_id run || echo "exit $?"
$as "$RASTRUM" verify --quiet run | tail -n 1 || echo "exit $?"
chmod 755 run/thread_1
