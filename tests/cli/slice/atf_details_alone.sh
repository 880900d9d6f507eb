# What is left of a session without its index.atf are its details: a slice that takes none of them
# and a conversion that takes all leave a session that opens.
cp -R "$GOLDEN/atf/arm64" lost
cp -R "$GOLDEN/atf/production" old
chmod -R u+w lost old
rm lost/thread_*/index.atf old/thread_*/index.atf
rastrum slice lost --from 999s -o none || echo "exit $?"
rastrum cat none && echo "exit 0"
rastrum convert old -o new --to spec || echo "exit $?"
rastrum cat --fields function_id old >before || echo "exit $?"
rastrum cat --fields function_id new >after && cmp before after && wc -l <after
