# Help is an answer: standard output, status 0, and it names every verb.
rastrum help >all
rastrum --help | cmp - all
for verb in formats info du cat verify; do
    grep -c "^  $verb " all
    rastrum help $verb >one
    rastrum $verb --help | cmp - one
    rastrum $verb -h | cmp - one
    grep -q "Exit status" one
done
