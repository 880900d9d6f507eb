#!/usr/bin/python3
"""make.py - write a toy trace: make.py OUT RECORD..., a RECORD is KIND:TICK:TEXT."""
import struct
import sys

with open(sys.argv[1], "wb") as out:
    out.write(b"TOY1" + struct.pack("<I", 7))
    for record in sys.argv[2:]:
        kind, tick, text = record.split(":", 2)
        out.write(struct.pack("<BBI", ord(kind), len(text), int(tick)) + text.encode())
