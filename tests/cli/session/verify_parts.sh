# A finding names the file it lies in.
cd "$GOLDEN/atf"
rastrum verify --json broken_links || echo $?
