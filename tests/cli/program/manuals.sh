# Every verb has a manual page that mandoc accepts.
bold=$(printf '.\010')
for verb in formats info du cat verify help; do
    rastrum help --man $verb >page
    mandoc -Tlint -Wwarning page
    mandoc -Tutf8 page | sed "s/$bold//g" | grep -c "rastrum-$verb"
done
