# Bytes of no known format.
head -c 100 /dev/zero >zeros
rastrum cat zeros
