"""grow.py - write a file piece by piece: grow.py FROM TO PIECES [SECONDS between them]."""
import os
import sys
import time


def main():
    with open(sys.argv[1], "rb") as source:
        data = source.read()
    pieces = int(sys.argv[3])
    nap = float(sys.argv[4]) if len(sys.argv) > 4 else 0.05
    step = len(data) // pieces + 1
    out = sys.stdout.buffer if sys.argv[2] == "-" else open(sys.argv[2], "ab")
    for at in range(0, len(data), step):
        out.write(data[at:at + step])
        out.flush()
        if out is not sys.stdout.buffer:
            os.fsync(out.fileno())
        time.sleep(nap)


main()
