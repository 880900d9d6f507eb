# The rules as data.
rastrum verify --rules --json | /usr/bin/python3 "$TOOLS/shape.py"
