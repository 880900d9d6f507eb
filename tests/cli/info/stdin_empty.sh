# Nothing on standard input.
rastrum info - </dev/null
