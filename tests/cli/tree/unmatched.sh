# Calls without a return are counted, and the reason is reported.
cp -r "$GOLDEN"/atf/spans session
rastrum tree session
rastrum tree --from 25 --to 56 session
