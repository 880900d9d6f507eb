# Values that a column cannot hold are NULL, and counted.
cp "$GOLDEN"/cdt/wide_ints.cdt wide.cdt
cp "$GOLDEN"/murk/floats.murk floats.murk
rastrum sql wide.cdt 'SELECT mode_id FROM tick; SELECT mode_id FROM tick; SELECT count(*) FROM rng'
rastrum sql floats.murk 'SELECT value FROM command_params; SELECT count(value) FROM command_params
    GROUP BY key; SELECT count(*) FROM command_params a JOIN command_params b ON a.key = b.key'
rastrum sql a=wide.cdt b=wide.cdt 'SELECT sum(mode_id) FROM a.tick;
    SELECT count(mode_id) FROM cdt_tick'
# None are there, or none were read, or nobody wants to know.
rastrum sql wide.cdt 'SELECT elapsed_ms FROM tick'
rastrum sql --quiet wide.cdt 'SELECT mode_id FROM tick'
