# CSV is exact in a file or a pipe, and harmless on a terminal.
python3 "$TOOLS"/onterm.py
printf '%s\n' '{"type":"E\u009b","time_ns":1,"values":{"a":"\u001b[31m\n\"\u202e\u007f"}}' |
    rastrum convert --from-jsonl --to dial9 - -o a.trc >report
python3 "$TOOLS"/onterm.py rastrum cat --format csv a.trc
python3 "$TOOLS"/onterm.py rastrum cat --format csv --fields a --type "$(printf 'E\302\233')" a.trc
rastrum cat --format csv --fields a --type "$(printf 'E\302\233')" a.trc | od -An -c
