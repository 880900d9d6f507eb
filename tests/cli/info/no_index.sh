# A thread of a session with details and no index: what the others have is read.
cp -r "$GOLDEN/atf/two_threads" s
rm s/thread_1/index.atf
rastrum cat --type event --format jsonl s | wc -l
