# A signal that ends a verb while it writes a directory leaves nothing of it beside the output.
python3 "$TOOLS/killed.py" "$GOLDEN/atf/anchors" 10
