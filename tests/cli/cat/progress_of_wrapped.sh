# What was passed and what there is are counted alike: without wrapping, over all parts.
/usr/bin/python3 "$TOOLS/onterm.py" || exit 77
set -- 6
. "$TOOLS/long.sh"
gzip -1 run.murk
/usr/bin/python3 "$TOOLS/onterm.py" --stderr shown rastrum cat run.murk.gz |
    /usr/bin/python3 "$TOOLS/slowly.py" 60 shown 'cat: [0-9.]* of' >/dev/null
tr '\r' '\n' <shown | sed -n 's/.*cat: \([0-9.]*\) of \([0-9.]*\) MB.*/\1 \2/p' >told
awk '$1 > $2 || $2 < 6 { print "passed", $1, "of", $2 } END { print (NR ? "told" : "silent") }' told
