#!/usr/bin/env python3
"""crd_seed.py - the contents of the golden replays and evidence, without their frames.

crd_seed.py DIRECTORY
"""
import glob
import os
import sys

GOLDENS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "golden", "crd")
HEADS = 12  # of a frame with one stored block


def main(folder):
    for path in glob.glob(os.path.join(GOLDENS, "*.crd")) + glob.glob(
            os.path.join(GOLDENS, "*.zst")):
        with open(path, "rb") as file:
            data = file.read()
        if not data.startswith(b"\x28\xb5\x2f\xfd"):
            continue
        with open(os.path.join(folder, os.path.basename(path) + ".content"), "wb") as out:
            out.write(data[HEADS:])


main(sys.argv[1])
