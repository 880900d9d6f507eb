#!/usr/bin/env python3
"""arena.py - a game's own trace: every frame alone is the frame of the whole replay.

arena.py RASTRUM
"""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from packets import RASTRUM, absent, check, close, read_png, work  # noqa: E402

TICKS = 40


def rastrum(*args):
    done = subprocess.run([RASTRUM, *args], capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout, done.stderr


def record(name, *options):
    folder = os.path.join(work, name)
    rc, _, err = rastrum("run", "arena", "--ticks", str(TICKS), "--pens", "aerogpu", "-o", folder,
                         *options)
    check("run " + name, rc == 0, err)
    return os.path.join(folder, "gpu.aerogputrace")


def main():
    if absent():
        return 77
    trace, pictures = record("good"), os.path.join(work, "pictures")
    rc, out, err = rastrum("replay", "--json", "--size", "160x120", "--png", pictures, trace)
    frames = json.loads(out)["frames"] if rc == 0 else []
    check("all frames", [f["frame"] for f in frames] == list(range(TICKS)) and
          not any(f["inexact"] for f in frames), (rc, err))
    check("frames move", len({f["sha256"] for f in frames}) > TICKS // 2)
    last = read_png(os.path.join(pictures, "frame_%d.png" % (TICKS - 1)))[2]
    colors = {last[k:k + 4] for k in range(0, len(last), 4)}
    check("frames show something", len(colors) > 10, len(colors))
    for f in frames[::7]:
        number = str(f["frame"])
        got = rastrum("replay", "--size", "160x120", "--frame", number, trace)
        want = "frame %s: 160x120 sha256=%s\n" % (number, f["sha256"])
        check("frame %s alone" % number, got == (0, want, ""), got)
        last = rastrum("replay", "--size", "160x120", "--frame", number, "--until-draw",
                       str(f["draws"]), trace)
        check("frame %s after its last draw" % number,
              last == (0, want.rstrip() + " after draw %d\n" % f["draws"], ""), last)
    check("golden", rastrum("replay", "--golden", pictures, "--size", "160x120", trace)[0] == 0)
    check("diff", rastrum("diff", "--pixels", trace, trace)[0] == 0)
    other = record("other", "--perturb", "20:drop-command")
    rc, _, err = rastrum("replay", "--golden", pictures, "--size", "160x120", "--png",
                         os.path.join(work, "wrong"), other)
    check("golden of another run", rc == 1 and "differs from" in err, (rc, err))
    return close()


if __name__ == "__main__":
    sys.exit(main())
