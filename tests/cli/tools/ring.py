#!/usr/bin/env python3
"""ring.py - the lane of a durable recording that was killed, made of an index.atf.

ring.py THREAD_DIR EVENTS [--empty]

The last EVENTS events of index.atf, and its footer, go to lane.ring beside it, as docs/recording.md
describes it: they were recorded and not written yet. --empty: not even the header was.
"""
import os
import struct
import sys

EVENT, HEADER, CAPACITY, BYTES = 32, 64, 64, 256
folder, moved = sys.argv[1], int(sys.argv[2])
path = os.path.join(folder, "index.atf")
with open(path, "rb") as file:
    index = file.read()
count = (len(index) - 2 * HEADER) // EVENT
events = [index[HEADER + i * EVENT:HEADER + (i + 1) * EVENT] for i in range(count)]
ring = bytearray(CAPACITY * EVENT)
for i in range(count - moved, count):
    ring[i % CAPACITY * EVENT:(i % CAPACITY + 1) * EVENT] = events[i]
# head and tail; of details and stream head, tail and wrap; base and standing
numbers = [count, count - moved, 0, 0, 0, 0, 0, 0, 0, 0]
at = 512
places = [at + 8 * i for i in range(len(numbers))]
ring_at, detail_at, stream_at, used_at = 1024, 4096, 8192, 768
header = struct.pack("<8sQ", b"RASLANE2", struct.unpack_from("<I", events[0], 16)[0])
header += struct.pack("<4Q", places[0], places[1], ring_at, CAPACITY)
header += struct.pack("<5Q", places[2], places[3], places[4], detail_at, BYTES)
header += struct.pack("<5Q", places[5], places[6], places[7], stream_at, BYTES)
header += struct.pack("<5Q", places[8], places[9], at + 128, used_at, 0)
file = bytearray(stream_at + BYTES)
file[:len(header)] = header
file[at:at + 8 * len(numbers)] = struct.pack("<%dQ" % len(numbers), *numbers)
file[ring_at:ring_at + len(ring)] = ring
with open(os.path.join(folder, "lane.ring"), "wb") as out:
    out.write(file)
# What was written: an index whose header was not finished.
front = bytearray(index[:HEADER + (count - moved) * EVENT])
front[28:32], front[40:64] = bytes(4), bytes(24)
with open(path, "wb") as out:
    out.write(front if "--empty" not in sys.argv else b"")
