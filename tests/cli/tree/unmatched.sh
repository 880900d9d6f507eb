# Calls without a return are counted, and why they have none is told.
cp -r "$GOLDEN"/atf/spans session
rastrum tree session
rastrum tree --from 25 --to 56 session
