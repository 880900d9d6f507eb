# memory: 512 MiB
# A gzip of 200 MB of zeros is no trace, and is refused in little memory.
head -c 200000000 /dev/zero | gzip -1 >bomb.gz
rastrum info bomb.gz
