# A name that the trace does not have is an error before anything is printed, also where types are
# defined as the stream goes; it says what is near, and where to see all.
cp "$GOLDEN"/dial9/big-steady.trc run.trc
cp "$GOLDEN"/murk/all_payloads.murk run.murk
try() { rastrum "$@" >out || echo "exit $? with $(wc -c <out) bytes: $*"; }
try cat --type step run.trc
try cat --type frame --type Command run.murk
try cat --fields payload_nam run.murk
try cat --type frame --fields payload_name run.murk
try cat --where 'commandcount == 0' run.murk
try cat --axis time run.murk
try cat --input-format murc run.murk
try cat --format jsn run.murk
try cat --dialect v4 run.murk
try slice --type fram run.murk -o x
try caat run.murk
try cat --werhe x run.murk
ls
