"""zstd.py - standard input to standard output, compressed with zstd."""
import sys

import zstandard

sys.stdout.buffer.write(zstandard.compress(sys.stdin.buffer.read()))
