#!/usr/bin/python3
"""pens_seed.py - notes of a run, as pens put them into their ring: pens_seed.py FOLDER"""
import os
import struct
import sys

(TICK, SETTLED, END, INPUT, COMMAND, STATE, BYTES, INT, REAL, TEXT, SNAPSHOT, DRAW, ENTITY, PLAYER,
 ROW, EVENT_TYPE, EVENT, SPAN, PIXELS, COMMANDS) = range(1, 21)


def note(kind, payload=b""):
    return struct.pack("<II", kind, len(payload)) + payload + b"\0" * (-len(payload) % 8)


def state(kind, name, word, rest=b""):
    return note(kind, struct.pack("<QQQI4x", 1, 8, word, len(name)) + name + rest)


def entity(pool):
    return note(ENTITY, struct.pack("<IIIiiii4x7d", pool, 3, 1, 2, 0, -1, 5, 10, 1, 2, 3, 4, 5, 6))


TYPE = note(EVENT_TYPE, struct.pack("<III", 1, 2, 1) + b"\x07who\0" + b"\x02x\0" + b"hit\0")
HIT = note(EVENT, struct.pack("<IIQIIQ", 1, 2, 50, 7, 3, 0) + b"mob" + b"\0" * 5 +
           struct.pack("<IId", 2, 0, 1.5))
KINDS = [
    note(INPUT, struct.pack("<I", 2) + b"abc"),
    note(COMMAND, struct.pack("<BBBB4xQQQ", 2, 0, 1, 0, 9, 0, 5) + b"\1" * 8),
    state(STATE, b"mob", 77) + state(BYTES, b"mob", 0, b"12345678") + state(INT, b"hp", 5),
    state(REAL, b"x", 0x3FF0000000000000) + state(TEXT, b"t", 1, b"word"),
    note(SNAPSHOT, struct.pack("<Q", 9)),
    b"".join(note(DRAW, struct.pack("<IIIII", thread, 1, 2, 3, 4)) for thread in (1, 0)),
    b"".join(entity(pool) for pool in range(4)),
    note(PLAYER, struct.pack("<I4xdddqq", 0, 1, 2, 3, 4, 5)),
    TYPE + HIT,
    note(SPAN, struct.pack("<QQ", 5, 6) + b"step"),
    note(PIXELS, struct.pack("<III", 0, 2, 2) + b"\xff" * 16),
    note(PIXELS, struct.pack("<III", 2, 3, 1) + b"\1\2\3" + b"\x80" * 1024),
]


def main():
    for i, kind in enumerate(KINDS + [b"".join(KINDS)]):
        ring = b""
        for tick in (4, 5, 9):
            ring += note(TICK, struct.pack("<QQ", tick, tick * 10)) + kind + note(SETTLED)
        ring += note(END, struct.pack("<QQ", 0, 99))
        with open(os.path.join(sys.argv[1], "notes_%d" % i), "wb") as f:
            f.write(ring[:4096])


if __name__ == "__main__":
    main()
