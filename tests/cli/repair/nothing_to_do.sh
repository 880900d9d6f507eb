# A whole trace gives an equal copy.
rastrum recover "$GOLDEN"/murk/all_payloads.murk -o copy.murk >report
cmp copy.murk "$GOLDEN"/murk/all_payloads.murk && cat report | sed 's|^/.*/||'
