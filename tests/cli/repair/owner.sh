# Repaired in place, a file stays its owner's and its group's, with one name and with two.
[ "$(id -u)" = 0 ] || { echo "only root may give files away" >&2; exit 77; }
for links in 1 2; do
    cp "$GOLDEN"/murk/cut_frame.murk $links.murk
    chown 12:34 $links.murk; chmod 660 $links.murk
    [ $links = 1 ] || ln $links.murk other.murk
    rastrum repair --in-place --quiet $links.murk || echo "exit $?"
    stat -c '%u:%g %a %h' $links.murk
done
cp "$GOLDEN"/murk/all_payloads.murk old.murk; chown 12:34 old.murk; chmod 600 old.murk
rastrum slice --quiet --force -o old.murk 1.murk >/dev/null; stat -c '%u:%g %a' old.murk
