/* list.h - every format, one line each. */
FORMAT(murk)
