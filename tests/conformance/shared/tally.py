"""tally.py - what every script of the conformance tests counts and says in one way."""
import os
import sys

_counted = {True: 0, False: 0}


def check(what, ok, why=""):
    """Count it; where it is not so, say what in the name of the script. Returns whether it is."""
    _counted[bool(ok)] += 1
    if not ok:
        name = os.path.basename(sys.argv[0])[:-len(".py")]
        print(f"{name}: {what}: {why}"[:2000])
    return ok


def some(items):
    """All of them; every fourth under a sanitizer in a hurry, where each is a slow process. What
    damage does inside of one is tested there by others, byte by byte."""
    return list(items)[::4 if os.environ.get("RASTRUM_EFFORT") == "reduced" else 1]


def checks_passed():
    return _counted[True]


def paired(folder, end, besides=()):
    """Every trace of the folder has expected results beside it, and the reverse."""
    names = {os.path.splitext(name) for name in os.listdir(folder)}
    traces = {stem for stem, ext in names if ext == end} - set(besides)
    results = {stem for stem, ext in names if ext == ".json"} - set(besides)
    check("%s has expected results for every trace" % folder, traces and traces == results,
          sorted(traces ^ results))


def finish():
    """The last line, and the end of the script."""
    print(f"{_counted[True]} passed, {_counted[False]} failed")
    sys.exit(_counted[False] != 0)
