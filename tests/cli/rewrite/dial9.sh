# A dial9 slice by time, type and batch; a merge in the order of time; the published text.
rastrum slice --from 5.00000001s "$GOLDEN"/dial9/batches.trc -o part.trc
rastrum cat part.trc
rastrum slice --type Poll --stream "batch 1" "$GOLDEN"/dial9/batches.trc -o poll.trc
rastrum cat --type schema --type string poll.trc
rastrum merge part.trc poll.trc -o joined.trc
cat part.trc poll.trc | cmp - joined.trc
rastrum merge --interleave part.trc poll.trc -o one.trc
rastrum cat one.trc
rastrum convert --to seed "$GOLDEN"/dial9/batches.trc -o seed.trc
rastrum verify --strict --dialect seed seed.trc | tail -n 1
