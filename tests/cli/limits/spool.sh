# memory: 512 MiB
# What a wrapping inflates to may take most of the address space there is.
set -- 1
. "$TOOLS/long.sh"
head -c 103 run.murk | gzip -1 >run.gz
gzip -1 <frames >member
for i in 1 2 3 4 5 6 7 8 9 10; do cat member; done >ten
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do cat ten; done >>run.gz
rastrum info run.gz | grep ending
