# A type may be a pattern; types on request want their name.
cp "$GOLDEN"/dial9/big-steady.trc run.trc
rastrum info --json run.trc | grep -o '"by_type":{[^}]*}'
rastrum cat --type 'S*' run.trc | wc -l
rastrum cat --type '*' run.trc | wc -l
rastrum cat run.trc | wc -l
rastrum cat --format csv --type '[ST]*' --limit 1 run.trc | head -n 1
rastrum cat --type 'X*' run.trc || echo "exit $?"
rastrum slice --type 'S*' run.trc -o part.trc
