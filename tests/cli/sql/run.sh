# A run directory: a schema for each trace, run_tick in each, run.json as a table.
rastrum run arena --seed 7 --ticks 40 -o run7 >/dev/null
rastrum sql run7 "SELECT count(*), sum(d.snapshot_hash = f.snapshot_hash) same FROM murk.frame f
    JOIN dial9.tick d ON d.tick = f.tick"
rastrum sql run7 "SELECT key, value FROM run WHERE key IN ('seed', 'ticks', 'axes.tick.last')"
rastrum sql run7 'SELECT count(*), min(run_tick), max(run_tick), min(frame), sum(begin_ns <= end_ns)
    FROM run_ticks'
rastrum sql run7 'SELECT count(*) FROM murk.frame f JOIN cdt.tick USING (run_tick) JOIN
    aerogpu.frame USING (run_tick) JOIN dial9.tick USING (run_tick)'
rastrum sql run7 'SELECT tick_of(time_of(7)), time_of(7) = (SELECT begin_ns FROM run_ticks WHERE
    run_tick = 7), tick_of(0)'
rastrum run arena --seed 7 --ticks 40 --perturb 20:rng -o bad >/dev/null
rastrum sql good=run7 bad=bad 'SELECT min(a.tick) FROM good_cdt.creature a JOIN bad_cdt.creature b
    USING (tick, uid) WHERE a.pos_x <> b.pos_x OR a.hp <> b.hp OR a.heading <> b.heading'
rastrum diff run7 bad >/dev/null || echo $?
