# A directory of runs is none of them: their calls are not one session. What the user names is read.
mkdir runs
rastrum run arena --ticks 4 -q -o runs/one >/dev/null
rastrum run arena --ticks 4 -q -o runs/two >/dev/null
for verb in info verify cat tree stats du view; do
    rastrum $verb runs || echo "exit $?"
done
rastrum diff runs runs/one || echo "exit $?"
rastrum info runs/one | sed -n 2p
rastrum info --input-format atf runs | sed -n 2p
rm runs/one/run.json
rastrum info runs || echo "exit $?"
