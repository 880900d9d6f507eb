# What bash offers: names with blanks stay whole, a verb has all its names, --option=word works.
mkdir traces && : >"traces/a run.murk" && : >"traces/a second.murk" && : >traces/other
cat >offers <<'B'
. ./completion
offers() {
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
    _rastrum
    mapfile -t COMPREPLY < <(printf "%s\n" "${COMPREPLY[@]}" | sort)
    printf '%s |' "${*:2}"
    printf ' <%s>' "${COMPREPLY[@]}"
    echo
}
offers rastrum du
offers rastrum d
offers rastrum cat "traces/a"
offers rastrum dump traces/o
offers rastrum dump --flo
offers rastrum doctor --str
offers rastrum cat --format ""
offers rastrum dump -F j
offers rastrum dump --color = a
offers rastrum dump --color =
offers rastrum help ver
B
rastrum help --completion bash >completion
bash offers
