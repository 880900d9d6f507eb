# Versions 1 and 2 are refused by number.
cp "$GOLDEN"/murk/version_1.murk one.murk
cp "$GOLDEN"/murk/version_2.murk two.murk
cp "$GOLDEN"/murk/version_9.murk nine.murk
rastrum info one.murk || echo $?
rastrum info two.murk || echo $?
rastrum info nine.murk || echo $?
