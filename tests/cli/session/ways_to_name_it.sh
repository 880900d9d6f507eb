# A session, a process, a thread or one file: each can be named.
cd "$GOLDEN/atf"
rastrum info --json two_threads | grep -E '"records"|"streams"'
rastrum info --json two_threads/thread_1 | grep -E '"records"|"streams"'
rastrum info --json two_threads/thread_1/index.atf | grep -E '"records"|"streams"'
rastrum info --json two_threads/thread_1/detail.atf | grep -E '"records"|"streams"'
rastrum info --json two_processes | grep -E '"records"|"streams"'
rastrum info --json two_processes/session_1/pid_9 | grep -E '"records"|"streams"'
