# What cannot be written is trouble, also where little is said.
for words in --version --help "help cat" "help --man cat" formats; do
    rastrum $words > /dev/full || echo "$words: exit $?"
done
