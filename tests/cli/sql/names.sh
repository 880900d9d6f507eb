# Several traces, with names and without; one is cut.
cp "$GOLDEN"/murk/all_payloads.murk a.murk
cp "$GOLDEN"/murk/cut_frame.murk b.murk
rastrum sql a.murk a.murk 'SELECT count(*) FROM t1.frame JOIN t2.frame USING (tick)'
rastrum sql good=a.murk bad=b.murk \
    'SELECT a.tick, a.snapshot_hash, b.snapshot_hash FROM good.frame a JOIN bad.frame b
    USING (tick)' || echo $?
rastrum sql good=a.murk bad=b.murk 'SELECT trace, count(*) n FROM murk_frame GROUP BY trace' ||
    echo $?
rastrum sql it=a.murk 'SELECT count(*) FROM it.frame'
for i in 1 2 3 4 5 6 7 8 9 10 11; do set -- "$@" a.murk; done
rastrum sql "$@" 'SELECT count(*), count(DISTINCT trace) FROM murk_frame'
