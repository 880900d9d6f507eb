# Joined as JSON Lines: the detail fields are null where there is none.
cd "$GOLDEN/atf"
rastrum cat --with-detail --type event --format jsonl --fields detail_seq,index_seq two_threads |
    head -n 3
