# Every verb has a manual page that mandoc accepts.
for verb in formats info du cat verify help; do
    rastrum help --man $verb >page
    mandoc -Tlint -Wwarning page
    mandoc -Tutf8 page | col -b | grep -c "rastrum-$verb"
done
