# The version goes to standard output.
rastrum --version | sed -E "s/[0-9.]+(-rc[0-9]+)?$/N/"
rastrum -V >/dev/null
