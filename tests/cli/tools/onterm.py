"""onterm.py - run a command on a terminal of its own and print what it shows there.

onterm.py COMMAND...
onterm.py --stderr FILE COMMAND...   only its standard error is the terminal, shown in FILE
onterm.py                            ends with 77 where no terminal can be had
"""
import os
import pty
import subprocess
import sys


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
    shown = []
    while True:
        try:
            piece = os.read(master, 65536)
        except OSError:
            break
        shown.append(piece)
    status = process.wait()
    text = b"".join(shown).decode(errors="replace").replace("\r\n", "\n")
    if file:
        with open(file, "w", encoding="utf-8") as out:
            out.write(text)
    else:
        sys.stdout.write(text)
    sys.exit(status)


main()
