"""onterm.py - run a command on a terminal of its own and print what it shows there.

onterm.py COMMAND...
onterm.py --stderr FILE COMMAND...   only its standard error is the terminal, shown in FILE
onterm.py                            ends with 77 where no terminal can be had
"""
import os
import pty
import subprocess
import sys


def show(master, out):
    """What comes, as it comes; a terminal ends a line with two characters."""
    held = b""
    while True:
        try:
            piece = held + os.read(master, 65536)
        except OSError:
            out.write(held)
            return
        held = b"\r" if piece.endswith(b"\r") else b""
        out.write(piece[:len(piece) - len(held)].replace(b"\r\n", b"\n"))


def main():
    words, file = sys.argv[1:], None
    if words and words[0] == "--stderr":
        file, words = words[1], words[2:]
    try:
        master, slave = pty.openpty()
    except OSError as error:
        print("no terminal can be had: %s" % error, file=sys.stderr)
        sys.exit(77)
    if not words:
        return
    process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=None if file else slave,
                               stderr=slave, env={**os.environ, "TERM": "xterm"})
    os.close(slave)
    os.close(1) if file else None
    with open(file, "wb", 0) if file else os.fdopen(1, "wb", 0) as out:
        show(master, out)
    status = process.wait()
    sys.exit(status)


main()
