# A mapped file that becomes shorter while it is read: one line, status 2.
set -- 80
. "$TOOLS/long.sh"
mkfifo pipe
rastrum cat run.murk >pipe &
pid=$!
exec 3<pipe
head -c 100 <&3 >/dev/null
truncate -s 5000 run.murk
cat <&3 >/dev/null
wait $pid || echo "status $?"
