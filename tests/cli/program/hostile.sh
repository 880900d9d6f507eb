# Every verb, as text and as JSON, with paths and names that try to break JSON or the terminal.
python3 "$TOOLS"/hostile.py "$GOLDEN"
