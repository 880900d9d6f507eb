#!/usr/bin/env python3
"""slices.py - a slice shows alone what its frames show in the whole trace.

slices.py RASTRUM [TRACE...]

Every frame, and every pair of frames, of every trace is cut out and replayed. Traces: the scenes of
Appendix A with more than one frame, the golden streams, streams of random commands, a run of the
arena, and those that are named.
"""
import glob
import os
import random
import re
import struct
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
NAMED = sys.argv[2:]
sys.argv[2:] = []
import appendix_a  # noqa: E402
from packets import RASTRUM, begin, check, close, present, trace, work  # noqa: E402

FULL = os.environ.get("RASTRUM_EFFORT") == "full"


def rastrum(*words):
    done = subprocess.run([RASTRUM, *words], capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout, done.stderr


def frames_of(path, *options):
    """By index: the rest of the line."""
    rc, out, err = rastrum("replay", path, *options)
    return rc, dict(re.findall(r"^frame (\d+): (.*)$", out, re.M)), err


def judge(path, options=(), most=12):
    name = os.path.basename(path)
    rc, whole, err = frames_of(path, *options)
    check(name, rc in (0, 3) and whole, (rc, err))
    indexes = sorted(map(int, whole))
    chosen = indexes if len(indexes) <= most else indexes[::len(indexes) // most] + indexes[-1:]
    for first in chosen:
        for last in {first, min(first + 1, indexes[-1])}:
            part = os.path.join(work, "part.aerogputrace")
            done = rastrum("slice", "--from", str(first), "--to", str(last + 1), path, "-f", "-o",
                           part)
            rc, shown, err = frames_of(part, *options)
            wanted = {str(i): whole[str(i)] for i in range(first, last + 1) if str(i) in whole}
            check("%s, frames %d to %d" % (name, first, last), shown == wanted,
                  (done, rc, err, shown, wanted))
    rc, out, err = rastrum("verify", part)
    check("%s: the slice is valid" % name, rc == 0, out + err)
    return os.path.getsize(part)


def stored(name, data):
    path = os.path.join(work, name)
    with open(path, "wb") as out:
        out.write(data)
    return path


def records_of(data):
    """(type, payload) of every record, up to the TOC."""
    at, end = 32 + struct.unpack_from("<I", data, 24)[0], struct.unpack_from("<Q", data, len(data)
                                                                            - 16)[0]
    while at < end:
        kind, size = data[at], struct.unpack_from("<I", data, at + 4)[0]
        yield kind, data[at + 8:at + 8 + size]
        at += 8 + size


def commands_of(stream):
    at, end = 24, struct.unpack_from("<I", stream, 8)[0]
    while at < end:
        size = struct.unpack_from("<I", stream, at + 4)[0]
        yield stream[at:at + size]
        at += size


def record(kind, payload):
    return struct.pack("<BBHI", kind, 0, 0, len(payload)) + payload


def chopped(path, rng):
    """The same commands, a few in each frame, which shows what they have come to."""
    data = open(path, "rb").read()
    blobs, out, frame, number = {}, [], 0, 1 << 20
    for kind, payload in records_of(data):
        if kind == 4:
            blob_id, blob_kind = struct.unpack_from("<QI", payload)
            blobs[blob_id] = payload[16:]
            if blob_kind != 0x100:
                out.append(record(4, payload))
        if kind != 5:
            continue
        stream_id = struct.unpack_from("<Q", payload, 32)[0]
        left = [c for c in commands_of(blobs[stream_id])
                if struct.unpack_from("<I", c)[0] not in (0x700, 0x701)]
        while left:
            count = rng.randrange(1, 9)
            some, left = left[:count], left[count:]
            body = b"".join(some) + struct.pack("<4I", 0x700, 16, 0, 0)
            head = bytearray(blobs[stream_id][:24])
            struct.pack_into("<I", head, 8, 24 + len(body))
            number += 1
            again = bytearray(payload)
            struct.pack_into("<Q", again, 32, number)
            out += [begin(frame),
                    record(4, struct.pack("<QII", number, 0x100, 0) + bytes(head) + body),
                    record(5, bytes(again)), present(frame)]
            frame += 1
    return trace(*out, version=2)


def main():
    for path in NAMED:
        judge(path)
    for build in appendix_a.SCENES:
        s = build()
        if len(s.wanted) > 1 and not appendix_a.absent():
            judge(stored(build.__name__ + ".aerogputrace", s.trace()),
                  ("--size", "%dx%d" % s.size))
    for path in sorted(glob.glob(os.path.join(HERE, "golden", "*.aerogputrace"))):
        if frames_of(path)[1].keys() > {"0"}:
            judge(path)
    for i, path in enumerate(sorted(glob.glob(os.path.join(HERE, "golden", "*.aerogputrace")))):
        if FULL or i % 4 == 0:
            judge(stored("chopped_" + os.path.basename(path), chopped(path, random.Random(i))),
                  most=100 if FULL else 3)
    return close()


if __name__ == "__main__":
    sys.exit(main())
