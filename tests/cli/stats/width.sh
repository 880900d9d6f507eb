# On a terminal the rows of a table fit its width; elsewhere they are whole. Severities are
# coloured unless NO_COLOR is set.
python3 "$TOOLS/onterm.py" || exit 77
name=a_rather_long_name::of_a_module::that_goes_on::and_on::for_a_while:src/lib.rs:1
long=a_type_with_a_name_that_is_far_too_long_for_any_terminal_of_a_usual_width_there_is
cat >lines <<J
{"type":"SpanEnter:$name","time_ns":1,"values":{"span_id":1,"span_name":"x"}}
{"type":"$long","time_ns":9,"values":{"v":1}}
J
rastrum convert --from-jsonl --to dial9 lines -o long.trc >/dev/null
for columns in 60 90; do
    COLUMNS=$columns python3 "$TOOLS/onterm.py" \
        "$RASTRUM" stats -t types --color never long.trc >shown
    awk -v most=$columns 'NR > 3 && length > most { print "too wide:", $0 }' shown
    sed -n '4,$p' shown
done
COLUMNS=60 rastrum stats -t types long.trc |
    awk '{ if (length > most) most = length } END { print most }'
