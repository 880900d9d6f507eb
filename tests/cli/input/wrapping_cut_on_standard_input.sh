# The records are whole, the trailer of the gzip member is not there.
gzip -c $GOLDEN/murk/config_unset.murk | head -c -8 > cut.gz
rastrum cat - < cut.gz
