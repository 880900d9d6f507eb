# A trace is not a raw capture: what it is, and what to type.
rastrum finalize "$GOLDEN"/cdt/python.cdt --out d || echo "exit $?"
rastrum finalize "$GOLDEN"/murk/all_payloads.murk --out d || echo "exit $?"
rastrum info "$GOLDEN"/cdt/python.cdt | grep -o 'has_status_snapshot = .*'
ls
