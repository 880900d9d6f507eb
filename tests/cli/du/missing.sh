# No such file.
rastrum du absent.murk
