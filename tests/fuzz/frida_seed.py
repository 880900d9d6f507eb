#!/usr/bin/env python3
"""frida_seed.py - seeds for frida_fuzz: whole captures and single rows: frida_seed.py DIRECTORY"""
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
CAPTURE = os.path.join(HERE, "..", "cli", "tools", "capture.py")
SHAPES = [["--ticks", "1", "--creatures", "1", "--slots", "1", "--version", v]
          for v in ("13", "14", "15", "28", "29")]
SHAPES += [["--ticks", "1", "--creatures", "0", "--slots", "0", "--runs", "2"],
           ["--ticks", "2", "--creatures", "0", "--slots", "0", "--mode", "3", "--no-end"],
           ["--ticks", "1", "--creatures", "32", "--slots", "0", "--no-end"]]


def main(folder):
    for i, shape in enumerate(SHAPES):
        made = subprocess.run([sys.executable, CAPTURE, *shape], check=True, stdout=subprocess.PIPE)
        lines = made.stdout.splitlines(keepends=True)
        for k, seed in enumerate([made.stdout] + lines):
            with open(os.path.join(folder, "capture%d_%d" % (i, k)), "wb") as out:
                out.write(seed)


main(sys.argv[1])
