"""packets.py - what the tests of Appendix A share: traces put together, the program run on them,
its pictures read."""
import importlib.util
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
RASTRUM = os.path.abspath(sys.argv[1])
BACKEND = ["--backend", sys.argv[2]] if len(sys.argv) > 2 else []
spec = importlib.util.spec_from_file_location(
    "make", os.path.join(os.path.dirname(HERE), "golden", "aerogpu", "make.py"))
make = importlib.util.module_from_spec(spec)
spec.loader.exec_module(make)
packet, blob, begin, present, trace, f32 = (make.packet, make.blob, make.begin, make.present,
                                            make.trace, make.f32)
BUFFER, WGSL, GLSL = make.BUFFER, make.WGSL, make.GLSL
work = tempfile.mkdtemp(prefix="rastrum-gpu-")
tally = [0, 0]


def check(what, ok, why=""):
    tally[not ok] += 1
    if not ok:
        print("%s: %s: %s" % (os.path.basename(sys.argv[0]), what, why))


def close():
    """the exit status, after the tally."""
    shutil.rmtree(work, ignore_errors=True)
    print("%d passed, %d failed" % tuple(tally))
    return 1 if tally[1] else 0


def run(data, *options):
    path = os.path.join(work, "t.aerogputrace")
    with open(path, "wb") as out:
        out.write(data)
    done = subprocess.run([RASTRUM, "replay", *BACKEND, *options, path], capture_output=True,
                          timeout=300)
    return done.returncode, done.stdout.decode(), done.stderr.decode().replace(path, "T")


def read_png(path):
    """RGBA of 8 bits as our writer makes it: rows unfiltered or relative to the one above."""
    data = open(path, "rb").read()
    at, packed, width, height = 8, b"", 0, 0
    while at < len(data):
        size, kind = struct.unpack_from(">I4s", data, at)
        if kind == b"IHDR":
            width, height = struct.unpack_from(">II", data, at + 8)
        if kind == b"IDAT":
            packed += data[at + 8:at + 8 + size]
        at += 12 + size
    raw, row, rows = zlib.decompress(packed), bytes(4 * width), []
    for y in range(height):
        line = raw[y * (4 * width + 1):(y + 1) * (4 * width + 1)]
        assert line[0] in (0, 2)
        row = bytes((a + b) & 255 for a, b in zip(line[1:], row)) if line[0] == 2 else line[1:]
        rows.append(row)
    return width, height, b"".join(rows)


def absent():
    """Whether OpenGL ES is not here, which is said."""
    rc, _, err = run(trace(begin(0), packet(10), present(0)))
    missing = rc == 2 and "OpenGL ES 3 is not here" in err
    if missing:
        print(err)
    return missing


def words(*values):
    return struct.unpack("<%dI" % len(values), f32(*values))


VERTEX, FRAGMENT = make.VERTEX_GLSL, make.FRAGMENT_GLSL
# The fourth channel is w: what is far away is small, and colours bend.
DEEP = VERTEX.replace(b"vec4(p, 0.0, 1.0)", b"vec4(p * c.a, 0.0, c.a)").replace(
    b"v = c", b"v = vec4(c.rgb, 1.0)")
TURNED = FRAGMENT.replace(b"o = v", b"o = v.gbra")

# Corners in steps of 1/64: on every canvas they are on the grid of an executor, which moves none.
A = (-0.9375, 0.796875, 1, 0, 0, 1)
B = (0.65625, 0.34375, 0, 1, 0, 1)
C = (-0.375, -0.90625, 0, 0, 1, 1)
D = (0.9375, 0.953125, 1, 1, 0, 0.5)
E = (0.9375, -0.921875, 0, 1, 1, 1)
F = (0.09375, -0.09375, 1, 0, 1, 0.25)
GRAY = (0.125, 0.25, 0.5, 1)
