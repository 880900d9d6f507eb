"""sourcetext.py - the repository's files, and C text without its comments."""
import os
import re
import subprocess

_TOKEN = re.compile(
    r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)


def tracked(root):
    """Paths below root, relative and sorted: what git knows or would add; all files without git."""
    try:
        command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        done = subprocess.run(command, cwd=root, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, check=True)
        names = done.stdout.decode(errors="replace").split("\0")
    except (OSError, subprocess.CalledProcessError):
        names = []
        for where, folders, files in os.walk(root):
            folders[:] = [f for f in folders if not f.startswith((".git", "build", "__pycache__"))]
            names += [os.path.relpath(os.path.join(where, f), root) for f in files]
    return sorted({n for n in names if n and os.path.isfile(os.path.join(root, n))})


def read(root, name):
    with open(os.path.join(root, name), encoding="utf-8", errors="replace", newline="") as text:
        return text.read()


def _blank(text):
    return re.sub(r"[^\n]", " ", text)


def without_comments(text, keep_strings=True):
    """The same lines and columns, comments (and strings, on request) made blank."""
    def replace(match):
        token = match.group(0)
        if token[0] == "/" or not keep_strings:
            return _blank(token)
        return token
    return _TOKEN.sub(replace, text)


def line_of(text, position):
    return text.count("\n", 0, position) + 1


class Complaints:
    """What is wrong, by file; `N passed, M failed` counts files."""

    def __init__(self):
        self.looked_at = set()
        self.found = {}

    def look(self, name):
        self.looked_at.add(name)

    def add(self, name, line, text):
        self.looked_at.add(name)
        self.found.setdefault(name, []).append((line, text))

    def close(self):
        """Print it all; the exit status."""
        for name in sorted(self.found):
            for line, text in sorted(self.found[name]):
                print("%s:%d: %s" % (name, line, text))
        print("%d passed, %d failed" % (len(self.looked_at) - len(self.found), len(self.found)))
        return 1 if self.found else 0
