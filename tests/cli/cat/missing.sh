# No such file.
rastrum cat absent.murk
