#!/usr/bin/env python3
"""loops.py - a picture is never called exact where OpenGL may have ended a loop.

loops.py RASTRUM

Every shader counts, and shows green when it counted to its end. Mesa's rasterizer ends the loops
of a run after 65,535 rounds together: those that may take more are inexact, the others green.
"""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.argv[2:] = ["gles"]
from packets import (BUFFER, GLSL, VERTEX, absent, begin, blob, check, close, f32,  # noqa: E402
                     packet, present, read_png, run, trace, words, work)

HEAD = b"#version 300 es\nprecision highp float;\nin vec4 v;\nout vec4 o;\n"
PASS = HEAD + b"void main() { o = v; }\n"
CORNERS = f32(-1, -1, 1, 0, 0, 1, 3, -1, 1, 0, 0, 1, -1, 3, 1, 0, 0, 1)
GREEN, EXACT, INEXACT = bytes((0, 255, 0, 255)), True, False


def show(vertex, fragment):
    """Exit status, output, the first pixel."""
    rc, out, err = run(trace(
        begin(0), blob(1, GLSL, vertex), blob(2, GLSL, fragment), blob(3, BUFFER, CORNERS),
        packet(3, 2, 0, 1, 0, 0, 0, 0, 0), packet(3, 3, 1, 2, 0, 0, 0, 0, 0), packet(4, 1, 2, 3),
        packet(5, 1), packet(1, 1, len(CORNERS), 0), packet(2, 1, 0, len(CORNERS), 3, 0),
        packet(6, 1, 24, 0, 8), packet(8, *words(0, 0, 0, 1)), packet(9, 3, 0), packet(10),
        present(0)), "--png", work, "--size", "8x8", "--timeout", "600")
    return rc, out, err, read_png(os.path.join(work, "frame_0.png"))[2][:4]


def count(body, to, head=b""):
    return HEAD + head + (b"void main() {\n    int n = 0;\n    %s\n"
                          b"    o = n == %d ? vec4(0, 1, 0, 1) : vec4(1, 0, 0, 1);\n}\n"
                          % (body, to))


ONE = b"n += 1 + (v.x > 2.0 ? i : 0);"  # not to be calculated by a compiler
LOOP = b"for (int i = 0; i < %d; i++) " + ONE
F = b"int f(int n) { for (int i = 0; i < %d; i++) " + ONE + b" return n; }\n"
CASES = [
    ("constant bound", EXACT, count(LOOP % 60000, 60000)),
    ("bound beyond", INEXACT, count(LOOP % 100000, 100000)),
    ("macro as bound", EXACT, count(b"for (int i = 0; i < N; i++) " + ONE, 50000,
                                    b"#define N 50000\n")),
    ("nested", EXACT, count(b"for (int k = 0; k < 200; k++) " + LOOP % 200, 40000)),
    ("nested beyond", INEXACT, count(b"for (int k = 0; k < 300; k++) " + LOOP % 300, 90000)),
    ("one after the other", EXACT, count(LOOP % 30000 + LOOP % 30000, 60000)),
    ("one after the other beyond", INEXACT, count(LOOP % 40000 + LOOP % 40000, 80000)),
    ("in a function", EXACT, count(b"n = f(f(n));", 60000, F % 30000)),
    ("in a function beyond", INEXACT, count(b"n = f(f(n));", 80000, F % 40000)),
    ("while", INEXACT, count(b"int i = 0; while (i < 100000) { %s i++; }" % ONE, 100000)),
    ("do", INEXACT, count(b"int i = 0; do { %s i++; } while (i < 100000);" % ONE, 100000)),
    ("endless", INEXACT, count(b"int i = 0; for (;;) { %s if (n < 0) break; }" % ONE, -1)),
    ("uniform", INEXACT, count(b"for (int i = 0; i < u + 100000; i++) " + ONE, 100000,
                               b"uniform int u;\n")),
    ("after a macro", INEXACT, count(b"int i = 0; W (i < 100000) { %s i++; }" % ONE, 100000,
                                      b"#define W while\n")),
    ("changed in the body", INEXACT,
     count(b"for (int i = 0; i < 10; i++) { %s if (n < 100000) i--; }" % ONE, 100009)),
]


def vertex(rounds):
    """Counts for every vertex, and hands on what came of it as a colour."""
    return VERTEX.replace(b"v = c", b"int n = 0; for (int i = 0; i < %d; i++) n += 1 + (c.x > 2.0 "
                          b"? i : 0); v = n == %d ? vec4(0, 1, 0, 1) : c" % (rounds, rounds))


def judge(name, exact, vs, fs):
    rc, out, err, pixel = show(vs, fs)
    if exact:
        check(name, (rc, err, pixel) == (0, "", GREEN) and "inexact" not in out,
              (rc, out, err, pixel))
    else:
        check(name, rc == 3 and out.endswith(" inexact: DRAW\n") and "loops" in err,
              (rc, out, err, pixel))


def main():
    if absent():
        return 77
    for name, exact, text in CASES:
        judge(name, exact, VERTEX, text)
    judge("vertex shader", EXACT, vertex(60000), PASS)
    judge("vertex shader beyond", INEXACT, vertex(100000), PASS)
    return close()


if __name__ == "__main__":
    sys.exit(main())
