# memory: 512 MiB
# Every golden of the format, through every verb, in 512 MiB of address space.
set -- dial9
. "$TOOLS/every.sh"
