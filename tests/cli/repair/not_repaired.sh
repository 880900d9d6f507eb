# What no cut can repair is stated; wrapped traces give what they hold.
cp "$GOLDEN"/murk/unknown_tag.murk run.murk
rastrum repair -n run.murk || echo "exit $?"
cp "$GOLDEN"/murk/wrapped_cut.murk w.murk
rastrum repair w.murk -o out.murk >report || echo "exit $?"
rastrum info out.murk | head -3
rastrum repair --in-place w.murk || echo "exit $?"
