# Times as people write them: units, fractions, and counted from the first record.
cp -r "$GOLDEN"/atf/two_threads session
show() {
    echo "$1 to $2"
    rastrum cat --type event --fields thread_id --from "$1" --to "$2" session || echo "exit $?"
}
show 1020 1031
show 1.02us 1031ns
show 0.00000102s 0.001031ms
show +20ns +0.031us
show 0h 0.0m
show 1m 1us
show 1.5x 2s
show 2s5 3s
show +x 3s
show 2026-01-31T12:00:00Z 2026-02-01
show 99999999999999999999s 1
show 18446744073709551615s 1
show 1e3 2000
cat session/thread_0/index.atf | rastrum cat --from +70ns --fields call_depth -
cp "$GOLDEN"/dial9/clock.trc clock.trc
rastrum cat --from 2023-11-14T22:13:20.000000006Z --fields entries clock.trc
rastrum cat --from 9999-12-31 clock.trc || echo "exit $?"
at() { # the same moment as 22:13:20.000000006Z
    rastrum cat --from "$1" --fields entries clock.trc || echo "exit $?"
}
at 2023-11-14T23:13:20.000000006+01:00
at 2023-11-15T03:43:20.000000006+0530
at 2023-11-14T14:13:20.000000006-08
at 2023-11-14T22:13Z
for wrong in +1:0x +25:00 +01:60 +01:00Z + -:30 CET; do
    at "2023-11-14T22:13:20$wrong"
done
