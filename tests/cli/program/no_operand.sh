# Which trace? For every verb that reads one.
for verb in info du cat verify; do
    rastrum $verb && exit 1
done
exit 0
