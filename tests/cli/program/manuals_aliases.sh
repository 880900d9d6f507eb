# A verb has a manual page under each of its names.
for name in dump doctor recover trim; do
    rastrum help --man $name >page
    mandoc -Tlint -Wwarning page
    grep -c "rastrum.-$name" page
done
rastrum help --man cat | sed -n '/^.SH NAME/,/^.SH SYN/p'
rastrum help --man rastrum >page
mandoc -Tlint -Wwarning page
