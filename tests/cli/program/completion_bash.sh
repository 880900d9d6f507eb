# What bash offers: names with blanks stay whole, a verb has all its names, --option=word works;
# formats, worlds, and what the trace on the line has: types (with colons), tables, columns, fields.
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
offers rastrum help opt
offers rastrum do
offers rastrum info --input-format ""
offers rastrum info --dialect ""
offers rastrum info poll.trc --dialect ""
offers rastrum convert --to z
offers rastrum diff --channel e
offers rastrum run ""
offers rastrum cat --type Poll
offers rastrum cat poll.trc --type Span
offers rastrum cat poll.trc --type Span :
offers rastrum cat poll.trc --type Span :: en
offers rastrum slice poll.trc -t = P
offers rastrum stats poll.trc --table long_polls,t
offers rastrum stats poll.trc --sort dur
offers rastrum cat poll.trc --fields a,
B
rastrum convert --from-jsonl --to dial9 -o poll.trc - >/dev/null 2>&1 <<'J'
{"type":"Poll","values":{"a":1,"b":2}}
{"type":"Span::enter","values":{"c":1}}
{"type":"Span::leave $(touch broken)","values":{"c":1}}
{"type":"Span:x","values":{"c":1}}
J
[ -s poll.trc ]
rastrum help --completion bash >completion
bash offers
[ ! -e broken ]
