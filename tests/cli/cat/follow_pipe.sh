# --follow on a pipe ends when the pipe does.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
rastrum cat run.murk >whole
/usr/bin/python3 "$TOOLS/grow.py" run.murk - 9 | rastrum cat --follow - >followed
cmp whole followed
echo same
