# Colour on a terminal only; NO_COLOR and --color are obeyed.
/usr/bin/python3 "$TOOLS/onterm.py" || exit 77
cp "$GOLDEN"/murk/config_unset.murk run.murk
escape=$(printf '\033')
count() { grep -c "$escape" || :; }
rastrum cat run.murk | count
rastrum cat --color always run.murk | count
rastrum cat --color=never run.murk | count
/usr/bin/python3 "$TOOLS/onterm.py" rastrum cat run.murk | count
/usr/bin/python3 "$TOOLS/onterm.py" rastrum cat --color never run.murk | count
NO_COLOR=1 /usr/bin/python3 "$TOOLS/onterm.py" rastrum cat run.murk | count
NO_COLOR=1 /usr/bin/python3 "$TOOLS/onterm.py" rastrum cat --color always run.murk | count
NO_COLOR= /usr/bin/python3 "$TOOLS/onterm.py" rastrum cat run.murk | count
rastrum cat --color always --json run.murk | count
