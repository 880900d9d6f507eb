# A wrapping that is cut lost what it held beyond, be the records before it whole: exit 3.
gzip -nc "$GOLDEN"/murk/all_payloads.murk >run.gz
head -c $(($(wc -c <run.gz) - 8)) run.gz >cut.gz
rastrum repair cut.gz -o cut.murk >said || echo "exit $?"
sed 's/byte [0-9]*/byte N/' said
rastrum repair --json -n cut.gz >said || echo "exit $?"
grep -o '"lost":{[^}]*}' said
rastrum verify --strict cut.murk
rastrum repair run.gz -o run.murk
