# --exit-zero for steps that only collect: what was found is still said.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
cp "$GOLDEN"/murk/cut_frame.murk cut.murk
rastrum verify --exit-zero cut.murk
rastrum cat --exit-zero cut.murk
rastrum info --exit-zero absent.murk
