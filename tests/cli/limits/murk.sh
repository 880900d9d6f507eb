# memory: 512 MiB
# Hostile lengths, in 512 MiB of address space: every verb ends by itself.
for name in bad_flag many_commands long_payload huge_coord header_long_string \
    header_utf8 short_payload zero_tail second_header wrapped_cut; do
    for verb in info du cat verify; do
        status=0
        rastrum $verb "$GOLDEN/murk/$name.murk" >/dev/null 2>&1 || status=$?
        echo "$name $verb $status"
    done
done
