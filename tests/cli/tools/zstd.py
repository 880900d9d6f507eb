"""zstd.py - standard input to standard output, compressed with zstd; -d: decompressed."""
import sys

import zstandard

text = sys.stdin.buffer.read()
if sys.argv[1:] == ["-d"]:
    sys.stdout.buffer.write(zstandard.ZstdDecompressor().decompressobj().decompress(text))
else:
    sys.stdout.buffer.write(zstandard.compress(text))
