# wait.sh - waits for what happens, however long a busy machine takes; sourced by the cases.

# Until the command succeeds. After two minutes the case fails.
wait_until() {
    naps=6000
    until "$@"; do
        naps=$((naps - 1))
        [ $naps -gt 0 ] || { echo "two minutes were not enough: $*"; exit 1; }
        sleep 0.02
    done
}

has_lines() {
    [ -e "$1" ] && [ "$(wc -l <"$1")" -ge "$2" ]
}

has_ended() {
    ! kill -0 "$1" 2>/dev/null
}

field_of() {
    sed -n "s/^$2:[^0-9A-Za-z]*\([0-9A-Za-z]*\).*/\1/p" "/proc/$1/status"
}

# It handles SIGTERM, and has nothing to do until somebody writes.
waits_for_input() {
    [ $((0x0$(field_of "$1" SigCgt) >> 14 & 1)) = 1 ] && [ "$(field_of "$1" State)" = S ]
}

has_slept() {
    [ "$(field_of "$1" voluntary_ctxt_switches)" -ge "$2" ]
}

# Until a process that looks again and again has looked so many times more.
wait_for_looks() {
    wait_until has_slept "$1" $(($(field_of "$1" voluntary_ctxt_switches) + $2))
}
