# No such file.
rastrum info absent.murk
