#!/usr/bin/python3
"""zstd_plain_seed.py - frames of many kinds, as the fuzzer reads them: a byte of step sizes first.

zstd_plain_seed.py DIRECTORY
"""
import os
import random
import sys

import zstandard

LEVELS = [-5, 1, 3, 9, 19, 22]


def kinds():
    source = random.Random(8878)
    yield bytes(3000)
    yield bytes(source.randrange(256) for _ in range(700))
    yield bytes(source.choice(b"aaaaaaab") for _ in range(2500))
    yield b"".join(b"tick %d player %d\n" % (i, source.randrange(5)) for i in range(200))
    yield b"".join(i.to_bytes(4, "little") + bytes(12) for i in range(300))


def main():
    for number, data in enumerate(kinds()):
        for level in LEVELS:
            for form in range(4):
                packer = zstandard.ZstdCompressor(level=level, write_checksum=bool(form & 1),
                                                  write_content_size=bool(form & 2))
                name = os.path.join(sys.argv[1], "kind%d-%d-%d" % (number, level, form))
                with open(name, "wb") as file:
                    file.write(bytes([form * 37]) + packer.compress(data))


if __name__ == "__main__":
    main()
