# Text out of a trace reaches the terminal without its control characters.
printf 'MURK\003\007\000\000\000\033[31m\nX' >run.murk
tail -c +16 "$GOLDEN"/murk/all_payloads.murk >>run.murk
rastrum info run.murk | grep toolchain
rastrum info "$(printf 'no\nfile')" || echo "exit $?"
