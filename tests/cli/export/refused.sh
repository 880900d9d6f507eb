# What is missing or wrong is said, with what is near, before anything is written.
cp -r "$GOLDEN"/atf/two_threads session
for words in "session" "--to chrme session" "--to ctf session" "--to chrome" "--to chrome a b" \
    "--to chrome --json session" "--to chrome -t evnt session -o out" \
    "--to chrome --until x session -o out" "--to chrome --slice event session -o out" \
    "--to chrome --slice event:nothing session -o out" "--to chrome --where 1+ session -o out"; do
    rastrum export $words && echo "$words: taken" || echo $?
done
ls
