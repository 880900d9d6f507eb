# Read and checked by another rule set.
cd "$GOLDEN/atf"
rastrum info --dialect production two_threads | grep dialect
rastrum info --dialect spec production | grep dialect
rastrum info production | grep dialect
