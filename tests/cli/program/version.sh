# The version goes to standard output.
rastrum --version | sed "s/[0-9][0-9.]*\(-rc[0-9]*\)\?/N/"
rastrum -V >/dev/null
