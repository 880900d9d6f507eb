#!/usr/bin/env python3
"""gpu_seed.py - the command streams of the golden pictures: gpu_seed.py DIRECTORY"""
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../gpu"))
import scenes  # noqa: E402

for make in scenes.SCENES:
    for i, data in enumerate(scenes.draw(make, 0, "none").streams):
        with open(os.path.join(sys.argv[1], "%s-%d" % (make.__name__, i)), "wb") as f:
            f.write(data)
