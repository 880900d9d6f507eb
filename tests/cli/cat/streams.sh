# --stream: the records of some streams, with the numbers that they have in the whole trace; what
# --stream leaves out is what the others have. A stream that the trace does not have is an error.
cp -r "$GOLDEN"/atf/two_threads session
t=session
rastrum cat --stream 1 --fields function -n 3 "$t"
rastrum cat --stream 'thread 1' --json "$t" >by_name
rastrum cat --stream 1 --json "$t" | cmp - by_name
rastrum cat --stream 1 --merged --json "$t" | wc -l
rastrum cat --json "$t" | grep '"stream":1,' | cmp - by_name
for name in atf/two_processes atf/half_sealed dial9/*.trc murk/all_payloads.murk cdt/typed.cdt; do
    for t in "$GOLDEN"/$name; do
        [ -e "$t" ] || continue
        rastrum cat --json "$t" >all 2>err || continue
        ids=$(sed -n 's/.*"stream":\([0-9]*\),.*/\1/p' all | sort -nu)
        for id in $ids; do
            grep "\"stream\":$id," all >want || true
            rastrum cat --stream "$id" --json "$t" 2>err | cmp - want ||
                echo "$t: stream $id differs"
        done
    done
done
for id in 7 'thread 7' -1; do
    rastrum cat --stream "$id" session 2>&1 || echo "exit $?"
done
rastrum slice --stream 7 session -o part 2>&1 || echo "exit $?"
