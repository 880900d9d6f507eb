"""common.py - the program, the goldens, and how JSON shows what the package gives as values."""
import json
import os
import subprocess
import warnings

import rastrum

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
GOLDEN = os.path.join(ROOT, "tests", "golden")
PROGRAM = os.environ["RASTRUM"]
warnings.simplefilter("ignore", rastrum.TruncatedWarning)


def program(*words):
    """What the program prints, with its exit status."""
    done = subprocess.run([PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return done.returncode, done.stdout.decode("utf-8", "replace")


def goldens(*formats):
    """Every golden trace that can be opened, with its path: files, and directories of ATF."""
    found = []
    for name in formats or sorted(os.listdir(GOLDEN)):
        folder = os.path.join(GOLDEN, name)
        if name not in rastrum.formats():
            continue
        for entry in sorted(os.listdir(folder)):
            path = os.path.join(folder, entry)
            if entry.endswith((".py", ".json", ".jsonl", ".md", ".txt", ".err")):
                continue
            try:
                rastrum.open(path).close()
            except rastrum.RastrumError:
                continue
            found.append(path)
    return found


def keep_pairs(pairs):
    """As the package has maps: a dict, or the pairs where a key repeats."""
    found = dict(pairs)
    return found if len(found) == len(pairs) else [tuple(pair) for pair in pairs]


def lines(text):
    return [json.loads(line, object_pairs_hook=keep_pairs) for line in text.splitlines()]
