"""slowly.py - copy standard input to standard output piece by piece, with naps between them.

slowly.py [--piece BYTES] SECONDS [FILE PATTERN]

It takes its time for so many seconds, or until FILE shows PATTERN; the rest follows at once.
"""
import os
import re
import sys
import time


def shows(path, pattern):
    try:
        with open(path, "rb") as text:
            return re.search(pattern.encode(), text.read())
    except FileNotFoundError:
        return False


def main():
    words, piece = sys.argv[1:], 65536
    if words[0] == "--piece":
        piece, words = int(words[1]), words[2:]
    end = time.monotonic() + float(words[0])
    while True:
        data = os.read(0, piece)
        if not data:
            return
        while data:
            data = data[os.write(1, data):]
        if time.monotonic() >= end or (len(words) > 1 and shows(words[1], words[2])):
            piece, end = 1 << 20, 0
        else:
            time.sleep(0.02)


main()
