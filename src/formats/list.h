/* list.h - every format, one line each. */
FORMAT(aerogpu)
FORMAT(atf)
FORMAT(cdt)
FORMAT(crd)
FORMAT(dial9)
FORMAT(murk)
