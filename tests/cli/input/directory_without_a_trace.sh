mkdir empty full
echo text > full/notes
for directory in empty full; do
    rastrum info $directory || echo "exit $?"
    rastrum info --input-format murk $directory || echo "exit $?"
done
