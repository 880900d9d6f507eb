#!/usr/bin/env python3
"""limits.py - a replay ends where its limits of time and work are, in both back ends.

limits.py RASTRUM
"""
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from packets import (BUFFER, FRAGMENT, GLSL, VERTEX, begin, blob, check, close, f32,  # noqa: E402
                     packet, present, run, trace, words)

CORNERS = f32(-1, -1, 1, 0, 0, 1, 3, -1, 0, 1, 0, 1, -1, 3, 0, 0, 1, 1)
SOFTWARE = ("--backend", "software")


def scene(*draws, triangles=1):
    return trace(
        begin(0), blob(1, GLSL, VERTEX), blob(2, GLSL, FRAGMENT),
        blob(3, BUFFER, CORNERS * triangles), packet(3, 2, 0, 1, 0, 0, 0, 0, 0),
        packet(3, 3, 1, 2, 0, 0, 0, 0, 0), packet(4, 1, 2, 3), packet(5, 1),
        packet(1, 1, 72 * triangles, 0), packet(2, 1, 0, 72 * triangles, 3, 0),
        packet(6, 1, 24, 0, 8), packet(8, *words(0, 0, 0, 1)),
        *(packet(9, 3 * n, 0) for n in draws), packet(10), present(0))


def judge_time():
    """One draw that covers a large canvas a thousand times: a minute, but for the limit."""
    rc, out, err = run(scene(1000, triangles=1000), *SOFTWARE, "--size", "8192x8192", "--timeout",
                       "1", "--max-work", str(1 << 50))
    found = re.search(r"DRAW: took (\d+) ms, at most 1000 \(timeout\)\n$", err)
    check("time of a draw", rc == 2 and not out and err.count("\n") == 1 and found and
          int(found[1]) > 1000, (rc, out, err))


def judge_work():
    """Work is counted over all packets together."""
    for i, count in enumerate((1, 10)):
        rc, out, err = run(scene(*[1] * count), *SOFTWARE, "--size", "256x256", "--max-work",
                           "1000000")
        if not i:
            check("work of a draw", rc == 0 and not err, (rc, out, err))
            continue
        found = re.search(r"DRAW: work of (\d+) so far, at most 1000000 in a replay\n$", err)
        check("work of a replay", rc == 2 and not out and err.count("\n") == 1 and found and
              int(found[1]) > 1000000, (rc, out, err))


def judge_bytes():
    """Without an option, what a small trace may ask for is little."""
    rc, out, err = run(scene(*[100] * 100, triangles=100), *SOFTWARE, "--size", "4096x4096",
                       "--timeout", "600")
    check("work of a small trace", rc == 2 and not out and
          re.search(r"DRAW: work of \d+ so far, at most \d+ in a replay\n$", err), (rc, out, err))


def judge_driver():
    rc, out, err = run(scene(1), "--backend", "gles", "--max-work", "1")
    if rc == 2 and "OpenGL ES 3 is not here" in err:
        return
    check("work of OpenGL", rc == 2 and not out and
          re.search(r": work of \d+ so far, at most 1 in a replay\n$", err), (rc, out, err))


def main():
    judge_time()
    judge_work()
    if os.environ.get("RASTRUM_EFFORT") == "full":
        judge_bytes()
    judge_driver()
    return close()


if __name__ == "__main__":
    sys.exit(main())
