# The blobs of a damaged trace are listed and extracted, and what is wrong with it is said.
cp "$GOLDEN"/aerogpu/zero_hole.aerogputrace "$GOLDEN"/aerogpu/cut_record.aerogputrace .
rastrum blob zero_hole.aerogputrace >/dev/null || echo "exit $?"
rastrum blob --json cut_record.aerogputrace >/dev/null || echo "exit $?"
rastrum blob cut_record.aerogputrace 1 -o blob || echo "exit $?"
ls
