# Channels, pools and ticks; a chunk that is damaged is passed over.
cp "$GOLDEN"/cdt/big-run-golden.cdt run.cdt
rastrum stats run.cdt
cp "$GOLDEN"/cdt/bad_checksum.cdt bad.cdt
rastrum stats -t pools bad.cdt
