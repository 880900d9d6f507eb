# Comma-separated, quotes doubled.
cd "$GOLDEN/atf"
rastrum cat --format csv --type event --fields call_depth,function two_threads | head -n 4
