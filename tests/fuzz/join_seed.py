#!/usr/bin/env python3
"""join_seed.py - directories of segments as inputs of join_fuzz: join_seed.py DIRECTORY"""
import glob
import gzip
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
for place in glob.glob(os.path.join(HERE, "..", "golden", "dial9", "segments*")):
    if not os.path.isdir(place):
        continue
    pieces = []
    for name in sorted(os.listdir(place)):
        with open(os.path.join(place, name), "rb") as f:
            data = f.read()
        pieces.append(gzip.decompress(data) if name.endswith(".gz") else data)
    pieces = pieces[:4]
    left, cuts = sum(map(len, pieces)), b""
    for piece in pieces[:3]:
        cuts += bytes([min(255, -(-len(piece) * 256 // max(left, 1)))])
        left -= len(piece)
    name = os.path.basename(place)
    for flag in (0, 15):
        with open(os.path.join(sys.argv[1], f"{name}_{flag}"), "wb") as f:
            f.write(cuts + bytes([flag]) + b"".join(pieces))
