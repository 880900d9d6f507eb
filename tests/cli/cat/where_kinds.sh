# A comparison of a number with a string is remarked on: it is never true, or always.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
try() { rastrum cat --where "$1" run.murk | wc -l; }
try 'tick > "3"'
try 'tick != "3" and type == "frame"'
try 'payload_name == 7'
try 'type in [1, 2]'
try 'type == "frame" and snapshot_hash == "0x1111111111111111"'
try 'coord[0] > 3 and tick < 9'
