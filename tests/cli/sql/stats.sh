# The tables of stats are tables; traces are walked for them only where a statement names one.
cp "$GOLDEN"/dial9/runtime.trc .
cp -r "$GOLDEN"/atf/two_threads s
rastrum sql runtime.trc 'SELECT type, records FROM stats_types ORDER BY records DESC, 1 LIMIT 3'
rastrum sql runtime.trc "SELECT name, rows FROM _tables WHERE kind = 'stats' AND 'stats_' = 'stats_'
    ORDER BY 1 LIMIT 3; SELECT count(*) FROM _tables WHERE kind = 'stats'"
rastrum sql runtime.trc "SELECT count(*) FROM _tables WHERE kind = 'stats'"
rastrum sql s 'SELECT function, count FROM STATS_functions ORDER BY 2 DESC, 1 LIMIT 2;
    SELECT count(*) > 0 FROM stats_tree'
rastrum sql a=s b=s 'SELECT a.function FROM a.stats_functions a JOIN b.stats_functions b USING
    (function) ORDER BY 1 LIMIT 1; SELECT trace, count(*) FROM atf_stats_functions GROUP BY 1'
printf 'SELECT 1;\nSELECT count(*) > 0 FROM stats_types;\nSELECT 2;\n' | rastrum sql runtime.trc
rastrum sql --each 'runtime.trc' 'SELECT count(*) > 0 FROM stats_types'
rastrum sql runtime.trc 'SELECT * FROM stats_nothing' || echo "exit $?"
