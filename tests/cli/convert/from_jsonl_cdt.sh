# CDT: what cat prints builds the trace again, in either style; a header line gives META.
jsonl() { rastrum cat --format jsonl "$1" | sed 's/"offset":[0-9]*,//'; }
for name in python frida gapped duplicate two_in_a_block no_timing wide_ints floats; do
    jsonl "$GOLDEN"/cdt/$name.cdt >a.jsonl
    rastrum convert --from-jsonl a.jsonl -o $name.cdt >report
    jsonl $name.cdt | cmp - a.jsonl
done
{
    printf '{"type":"header","values":{"created_utc":"now","producer":{"impl":"hand"},'
    echo '"source":{"seed":18446744073709551615}}}'
    cat a.jsonl
} | rastrum convert --from-jsonl --to cdt --dialect zig - -o headed.cdt
rastrum info headed.cdt | grep -E 'dialect|created|impl|seed|tick_range'
wrong() {
    printf '%s\n' "$@" | rastrum convert --from-jsonl --to cdt - -o wrong.cdt || echo "exit $?"
}
tick='{"type":"tick","values":{"tick_index":7,"elapsed_ms":16,"dt_ms_i32":16,"mode_id":1}}'
sim='{"type":"sim_state","values":{}}'
wrong "$sim"
wrong "$tick" "$sim"
wrong "$tick" "$sim" "$sim"
wrong '{"type":"tick","values":{"tick_index":7.5}}'
wrong '{"type":"tick","values":{"tick_index":7}}'
wrong "$tick" '{"type":"checkpoint","values":{"players":[{"pos":{"z":1}}]}}'
wrong "$tick" '{"type":"frame","values":{}}'
wrong '{"type":"header","values":{"status":{"weapon_usage_counts":[1,2]}}}'
ls
