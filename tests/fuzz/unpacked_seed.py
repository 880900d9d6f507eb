#!/usr/bin/python3
"""unpacked_seed.py - files of several frames, as the fuzzer reads them: a byte of choices first.

unpacked_seed.py DIRECTORY
"""
import os
import random
import struct
import sys

import zstandard


def index(frames, sizes):
    entries = b"".join(struct.pack("<II", len(f), n) for f, n in zip(frames, sizes))
    foot = struct.pack("<IBI", len(frames), 0, 0x8F92EAB1)
    return struct.pack("<II", 0x184D2A5E, len(entries) + len(foot)) + entries + foot


def main():
    source = random.Random(8878)
    for number in range(40):
        data = [bytes(source.choice(b"aaaab\0\1") for _ in range(source.randrange(1, 900)))
                for _ in range(source.randrange(1, 7))]
        packer = zstandard.ZstdCompressor(level=1, write_checksum=number % 2 == 0,
                                          write_content_size=number % 3 == 0)
        frames = [packer.compress(d) for d in data]
        sizes = [len(d) + (number % 10 == 9) for d in data]
        tail = index(frames, sizes) if number % 4 else b""
        with open(os.path.join(sys.argv[1], "frames%d" % number), "wb") as file:
            file.write(bytes([number]) + b"".join(frames) + tail)


if __name__ == "__main__":
    main()
