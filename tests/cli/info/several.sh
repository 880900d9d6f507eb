# Several traces; one that cannot be read does not hide the others.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
rastrum info absent.murk run.murk | head -n 3
rastrum info absent.murk run.murk >all && exit 1 || echo $?
