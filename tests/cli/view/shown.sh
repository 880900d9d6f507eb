# The address is the first and only line on standard output; a signal ends it with 0.
cp "$GOLDEN"/murk/cut_frame.murk run.murk
rastrum view --no-open run.murk >address &
server=$!
until [ -s address ]; do sleep 0.05; done
kill -TERM $server
wait $server
echo "exit $?"
sed 's/:[0-9][0-9]*/:PORT/; s/[0-9a-f]\{32\}$/TOKEN/' address
