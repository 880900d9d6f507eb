# Every run fails in the same way: said, since what it would do was not seen.
rastrum twice --vary env --no-calls -- sh -c 'echo one >&2; echo two >&2; exit 3'
rastrum twice --vary env --no-calls -- sh -c 'kill -9 $$'
rastrum twice --vary env --no-calls --json -- sh -c 'kill -9 $$'
