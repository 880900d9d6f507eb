# Commands by type, source and tick; a part of them; one that is cut.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
rastrum stats run.murk
rastrum stats --from 3 -t types,ticks run.murk
cp "$GOLDEN"/murk/cut_frame.murk cut.murk
rastrum stats -t spread cut.murk
