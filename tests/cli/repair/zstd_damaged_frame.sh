# A frame of a lone file does not match its checksum: nothing of it is shown, the loss is counted.
rastrum convert --compress "$GOLDEN/dial9/memory.trc" -o small.trc.zst
size=$(wc -c <small.trc.zst)
printf '\001' | dd of=small.trc.zst bs=1 seek=$((size - 34)) conv=notrunc 2>dd.log
rastrum cat small.trc.zst || echo $?
rastrum verify small.trc.zst || echo $?
rastrum repair small.trc.zst -o whole.trc || echo $?
