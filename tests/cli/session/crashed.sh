# A crashed session: every whole event.
cd "$GOLDEN/atf"
rastrum info crashed | grep -E "ending|records"
rastrum cat --type event --fields thread_id crashed | wc -l
