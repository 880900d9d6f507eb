# The draw by which two traces first differ, and what it has in common with --pixel of replay.
rastrum run arena --ticks 12 --pens aerogpu -o calm >/dev/null
rastrum run arena --ticks 12 --pens aerogpu --perturb 8:rng -o odd >/dev/null
a=calm/gpu.aerogputrace b=odd/gpu.aerogputrace
rastrum bisect --draws --size 128x128 $a $b >found || echo "exit $?"
sed 's/[0-9][0-9]* pixels differ.*/N pixels differ/; s/offset [0-9]*/offset N/' found
rastrum bisect --draws --json --size 128x128 $a $b >json || echo "exit $?"
python3 -c 'import json; d = json.load(open("json")); print(sorted(d), d["status"])'
rastrum bisect --draws --size 128x128 --frame 0 $a $b
rastrum bisect --draws $a $a
rastrum bisect --draws --frame 99 $a $b || echo "exit $?"
rastrum bisect --draws "$GOLDEN"/murk/all_payloads.murk $a || echo "exit $?"
rastrum bisect --frame 1 $a $b || echo "exit $?"
