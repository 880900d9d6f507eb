# Without a verb: one line, trouble.
rastrum
