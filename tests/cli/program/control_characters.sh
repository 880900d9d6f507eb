# Names in a trace, and its own, do not speak to the terminal.
esc=$(printf '\033')
LC_ALL=C sed "s/Step/S$esc[p/g" "$GOLDEN"/dial9/big-steady.trc >"a$esc[b.trc"
for words in info du "du --by field" verify "cat --limit 1" "cat --json --limit 1" stats \
    "repair -n" "slice -o to$esc[b.trc"; do
    rastrum $words "a$esc[b.trc" >said 2>&1
    if grep -q "$esc" said; then echo "$words: an escape"; fi
done
rastrum cat --type nothing "a$esc[b.trc" >said 2>&1 || ! grep "$esc" said
rastrum du "a$esc[b.trc" | head -n 3
rastrum repair -n "a$esc[b.trc"
rastrum slice --force "a$esc[b.trc" -o "to$esc[b.trc"
# The words that a recorder says of itself are names, too.
echo '{"type":"SegmentMetadataEvent","time_ns":1,"values":{"entries":{"k\u001b[b":"v\u001b[b"}}}' |
    rastrum convert --from-jsonl --to dial9 - -o words.trc
rastrum info words.trc | grep producer
