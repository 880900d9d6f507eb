# One query on each of many traces, in processes of their own; rows in the order of the paths.
cp "$GOLDEN"/murk/all_payloads.murk a.murk
cp "$GOLDEN"/murk/all_payloads.murk c.murk
rastrum sql --each '*.murk' -j 2 'SELECT count(*) n, max(snapshot_hash) h FROM frame'
cp "$GOLDEN"/murk/cut_frame.murk b.murk
rastrum sql --each '*.murk' -j 2 --json 'SELECT count(*) n FROM frame' || echo $?
rastrum sql --each '*.murk' -j 1 'SELECT count(* FROM frame' || echo $?
rastrum sql --each '*.none' 'SELECT 1' || echo $?
rastrum sql --each '*.murk' || echo $?
rastrum sql --each '*.murk' -j 0 'SELECT 1' || echo $?
