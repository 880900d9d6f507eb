# memory: 512 MiB
# A wrapping is inflated as far as it is read: the first record needs no room for what follows it.
gzip -1 <"$GOLDEN/murk/all_payloads.murk" >long.gz
head -c 20000000 /dev/zero | gzip -1 >member
for i in 1 2 3 4 5 6; do cat member member member member member; done >>long.gz
rastrum cat --limit 1 --fields tick_id long.gz
