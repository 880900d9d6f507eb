# Every verb has a manual page that mandoc accepts.
bold=$(printf '.\010')
for verb in $(rastrum help | sed -n 's/^  \([a-z]*\)  .*/\1/p'); do
    rastrum help --man $verb >page
    mandoc -Tlint -Wwarning page
    mandoc -Tutf8 page | sed "s/$bold//g" | grep -c "rastrum-$verb" >count
    echo "$verb $(cat count)"
done
