# A name that is not known: a column of the table that the query names is meant, and of two runs the
# trace that has the table.
rastrum run arena --seed 7 --ticks 2 -o good >/dev/null
for query in 'SELECT a.tick FROM good.creature a' 'SELECT x FROM bad.frame'; do
    rastrum sql good=good bad=good "$query" || echo $?
done
for query in 'SELECT name FROM call' 'SELECT functio FROM call' 'SELECT hash FROM murk.frame' \
    'SELECT snapshot_hash FROM call, creature' 'SELECT zzz FROM call, creature' \
    'SELECT c.hpp FROM creature c' 'SELECT percentil(1)' 'SELECT * FROM zzzzzzzz'; do
    rastrum sql good "$query" || echo $?
done
