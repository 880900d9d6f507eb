"""mcp_seed.py - seeds of mcp_fuzz: the requests of tests/mcp."""
import glob
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
for path in glob.glob(os.path.join(HERE, "..", "mcp", "*.jsonl")):
    with open(path, "rb") as text:
        lines = [line[1:] for line in text.read().splitlines() if line.startswith(b">")]
    lines = [line.replace(b"murk/", b"").replace(b"atf/", b"") for line in lines]
    for i, line in enumerate(lines):
        with open(os.path.join(sys.argv[1], "%s-%d" % (os.path.basename(path), i)), "wb") as out:
            out.write(line)
