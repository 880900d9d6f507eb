rastrum cat - < $GOLDEN/murk/header_cut.murk
