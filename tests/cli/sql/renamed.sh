# A field that a later schema named differently: both names work on every trace, alone and together.
cp "$GOLDEN"/cdt/python.cdt one.cdt
cp "$GOLDEN"/cdt/c2_20.cdt two.cdt
cp "$GOLDEN"/cdt/c2_21.cdt three.cdt
for trace in one two three; do
    rastrum sql $trace.cdt 'SELECT death_timer, lifecycle_stage, projectile_speed, travel_budget
        FROM creature c, projectile p WHERE c.death_timer = c.lifecycle_stage LIMIT 1'
    rastrum sql $trace.cdt "SELECT [table], [column], field, type FROM _columns WHERE hidden
        AND note LIKE 'an earlier name%'"
done
rastrum sql --format csv one.cdt 'SELECT * FROM secondary_projectile LIMIT 1' | head -n 1
rastrum sql one.cdt two.cdt three.cdt \
    'SELECT trace, count(*) n, count(death_timer) a, count(lifecycle_stage) b,
    sum(trail_timer IS trail_distance) same FROM cdt_creature LEFT JOIN
    (SELECT trace t, trail_timer, trail_distance FROM cdt_secondary_projectile) ON t = trace
    GROUP BY trace'
rastrum sql two.cdt \
    'SELECT count(*) FROM creature WHERE lifecycle_stage >= 0 AND death_timer >= 0'
rastrum sql two.cdt 'SELECT tutorial_hint_fade_in IS tutorial_hint_carrier_killed FROM checkpoint' |
    sort -u
