# Of several traces each record says where it is from.
cp "$GOLDEN"/murk/all_payloads.murk a.murk
cp "$GOLDEN"/cdt/python.cdt b.cdt
rastrum cat --limit 1 a.murk b.cdt | cut -c 1-60
rastrum cat --limit 2 --depth 0 a.murk a.murk
rastrum cat --json --limit 1 --type frame a.murk a.murk
rastrum cat --format csv --limit 1 --type frame a.murk a.murk
rastrum cat --limit 1 a.murk
