#!/usr/bin/python3
"""move-times.py - give every event and call of a run another time, and run.json other times.

    move-times.py RUN SEED

Times go anywhere within 16 ms, forth and back; nothing else changes, nor does any size.
"""
import json
import os
import random
import re
import struct
import subprocess
import sys

HEADER, EVENT, FOOTER = 64, 32, 64  # of an index
DELTA = 3                           # where an event of dial9 has the time since its base


def move_events(path, chance):
    lines = subprocess.run([os.environ["RASTRUM"], "cat", "--format", "jsonl", path], check=True,
                           stdout=subprocess.PIPE).stdout.splitlines()
    with open(path, "rb") as file:
        data = bytearray(file.read())
    for line in lines:
        at = json.loads(line)["offset"] + DELTA
        data[at:at + 3] = chance.randrange(1 << 24).to_bytes(3, "little")
    with open(path, "wb") as file:
        file.write(data)


def move_calls(path, chance):
    with open(path, "rb") as file:
        data = bytearray(file.read())
    for at in range(HEADER, len(data) - FOOTER, EVENT):
        now, = struct.unpack_from("<Q", data, at)
        struct.pack_into("<Q", data, at, now + chance.randrange(-(1 << 23), 1 << 23))
    with open(path, "wb") as file:
        file.write(data)


def main():
    run, chance = sys.argv[1], random.Random(sys.argv[2])
    move_events(os.path.join(run, "events.trc"), chance)
    for where, _, names in os.walk(os.path.join(run, "calls")):
        if "index.atf" in names:
            move_calls(os.path.join(where, "index.atf"), chance)
    path = os.path.join(run, "run.json")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    begin = re.search(r'"begin":\[([0-9,]*)\]', text)
    moved = ",".join(str(int(time) + chance.randrange(1 << 24)) for time in begin[1].split(","))
    with open(path, "w", encoding="utf-8") as file:
        file.write(text[:begin.start(1)] + moved + text[begin.end(1):])


main()
