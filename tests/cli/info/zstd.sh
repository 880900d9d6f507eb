# zstd wrapping is looked through.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
/usr/bin/python3 "$TOOLS/zstd.py" <run.murk >wrapped
rastrum info wrapped | grep -E "format|wrap|ending|records"
