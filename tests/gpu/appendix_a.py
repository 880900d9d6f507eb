#!/usr/bin/env python3
"""appendix_a.py - packets of Appendix A come out as the formulas say, and bad ones are told.

appendix_a.py RASTRUM

Every picture is drawn by the program and by slow_packets.py, of traces that make.py of the golden
ones puts together.
"""
import importlib.util
import json
import math
import os
import re
import struct
import subprocess
import sys
import tempfile
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
RASTRUM = os.path.abspath(sys.argv[1])
sys.path.insert(0, HERE)
from slow_packets import Picture  # noqa: E402

spec = importlib.util.spec_from_file_location(
    "make", os.path.join(os.path.dirname(HERE), "golden", "aerogpu", "make.py"))
make = importlib.util.module_from_spec(spec)
spec.loader.exec_module(make)
packet, blob, begin, present, trace, f32 = (make.packet, make.blob, make.begin, make.present,
                                            make.trace, make.f32)
BUFFER, WGSL, GLSL = make.BUFFER, make.WGSL, make.GLSL
passed = failed = 0
work = tempfile.mkdtemp(prefix="rastrum-gpu-")


def check(what, ok, why=""):
    global passed, failed
    if ok:
        passed += 1
    else:
        failed += 1
        print("appendix_a: %s: %s" % (what, why))


def run(data, *options):
    path = os.path.join(work, "t.aerogputrace")
    with open(path, "wb") as out:
        out.write(data)
    done = subprocess.run([RASTRUM, "replay", *options, path], capture_output=True, timeout=300)
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


def words(*values):
    return struct.unpack("<%dI" % len(values), f32(*values))


# ---- what traces are made of --------------------------------------------------------------------

VERTEX, FRAGMENT = make.VERTEX_GLSL, make.FRAGMENT_GLSL
# The fourth channel is w: what is far away is small, and colours bend.
DEEP = VERTEX.replace(b"vec4(p, 0.0, 1.0)", b"vec4(p * c.a, 0.0, c.a)").replace(
    b"v = c", b"v = vec4(c.rgb, 1.0)")
TURNED = FRAGMENT.replace(b"o = v", b"o = v.gbra")


class Scene:
    """A trace and, beside it, the picture that it should show: both grow by the same calls."""

    def __init__(self, width=64, height=64):
        self.size = (width, height)
        self.records, self.picture, self.wanted = [], Picture(width, height), []
        self.viewport, self.blobs, self.frame = (width, height), 0, -1
        self.begin()

    def add(self, *records):
        self.records += records

    def blob(self, kind, data):
        self.blobs += 1
        self.add(blob(self.blobs, kind, data))
        return self.blobs

    def begin(self):
        self.frame += 1
        self.add(begin(self.frame))

    def pipeline(self, pipeline=1, vertex=VERTEX, fragment=FRAGMENT):
        vs, fs = self.blob(GLSL, vertex), self.blob(GLSL, fragment)
        self.add(packet(3, 2 * pipeline, 0, vs, 0, 0, 0, 0, 0),
                 packet(3, 2 * pipeline + 1, 1, fs, 0, 0, 0, 0, 0),
                 packet(4, pipeline, 2 * pipeline, 2 * pipeline + 1), packet(5, pipeline))

    def buffer(self, data, buffer=1, size=None, at=0):
        size = len(data) + at if size is None else size
        self.add(packet(1, buffer, size, 0),
                 packet(2, buffer, at, len(data), self.blob(BUFFER, data), 0))

    def vertices(self, buffer=1, stride=24, position=0, color=8):
        self.add(packet(6, buffer, stride, position, color))

    def view(self, width, height):
        self.viewport = (width or self.size[0], height or self.size[1])
        self.add(packet(7, width, height))

    def clear(self, *rgba):
        self.picture.clear(rgba)
        self.add(packet(8, *words(*rgba)))

    def draw(self, *corners, first=0, shade=lambda v: v, w=lambda c: 1.0):
        """Corners are (x, y, r, g, b, a), three for each triangle; they are what the buffer holds
        from `first` on."""
        self.add(packet(9, len(corners), first))
        for i in range(0, len(corners) - 2, 3):
            self.picture.triangle([(c[0] * w(c), c[1] * w(c), w(c), c[2:6])
                                   for c in corners[i:i + 3]], self.viewport, shade)

    def show(self):
        self.add(packet(10), present(self.frame))
        self.wanted.append(self.picture.copy())

    def trace(self):
        return trace(*self.records)


# Corners in steps of 1/64: on every canvas they are on the grid of an executor, which moves none.
A = (-0.9375, 0.796875, 1, 0, 0, 1)
B = (0.65625, 0.34375, 0, 1, 0, 1)
C = (-0.375, -0.90625, 0, 0, 1, 1)
D = (0.9375, 0.953125, 1, 1, 0, 0.5)
E = (0.9375, -0.921875, 0, 1, 1, 1)
F = (0.09375, -0.09375, 1, 0, 1, 0.25)
GRAY = (0.125, 0.25, 0.5, 1)


def simple(width=64, height=64):
    s = Scene(width, height)
    s.pipeline()
    s.buffer(f32(*A, *B, *C, *D, *E, *F))
    s.vertices()
    return s


def upright():
    s = simple()
    s.clear(*GRAY)
    s.draw(A, B, C)
    s.show()
    return s


def both_windings_and_order():
    s = simple()
    s.clear(*GRAY)
    s.draw(A, B, C, D, E, F)
    s.draw(D, E, F, first=3)
    s.show()
    return s


def offsets_and_stride():
    """Colour before position, with holes, behind a first vertex that is not drawn."""
    s = Scene()
    s.pipeline()
    rows = [f32(9, *v[2:6], 9, *v[0:2]) for v in (D, A, B, C)]
    s.buffer(b"".join(rows) + f32(7))
    s.vertices(stride=32, position=24, color=4)
    s.clear(*GRAY)
    s.draw(A, B, C, first=1)
    s.show()
    return s


def stride_of_nothing():
    """A stride of 0 packs each attribute by itself: positions, then colours."""
    s = Scene()
    s.pipeline()
    s.buffer(f32(*A[:2], *B[:2], *C[:2], *A[2:], *B[2:], *C[2:]))
    s.vertices(stride=0, position=0, color=24)
    s.clear(*GRAY)
    s.draw(A, B, C)
    s.show()
    return s


def viewports():
    s = simple()
    s.clear(*GRAY)
    for width, height, corners, first in ((40, 24, (A, B, C), 0), (0, 20, (D, E, F), 3),
                                          (17, 0, (A, B, C), 0)):
        s.view(width, height)
        s.draw(*corners, first=first)
    s.show()
    return s


def viewport_beyond():
    s = simple()
    s.clear(*GRAY)
    s.view(100, 90)
    s.draw(A, B, C)
    s.show()
    return s


def canvas():
    s = simple(97, 35)
    s.clear(*GRAY)
    s.draw(A, B, C)
    s.show()
    return s


def clipped():
    """Corners far outside: what is left is clipped, and its colours are not squeezed."""
    s = Scene()
    s.pipeline()
    corners = ((-2.90625, 0.546875, 1, 0, 0, 1), (0.390625, 2.96875, 0, 1, 0, 1),
               (1.484375, -1.90625, 0, 0, 1, 1))
    s.buffer(f32(*sum(corners, ())))
    s.vertices()
    s.clear(*GRAY)
    s.draw(*corners)
    s.show()
    return s


def perspective():
    s = Scene()
    s.pipeline(vertex=DEEP)
    corners = (A[:5] + (1.0,), B[:5] + (4.0,), C[:5] + (2.0,))
    s.buffer(f32(*sum(corners, ())))
    s.vertices()
    s.clear(*GRAY)
    s.draw(*corners, w=lambda c: c[5], shade=lambda v: (*v[:3], 1.0))
    s.show()
    return s


def clears():
    """Every CLEAR clears all, whatever the viewport, and colours are clamped."""
    s = simple()
    s.clear(1, 0, 0, 1)
    s.draw(A, B, C)
    s.view(10, 10)
    s.clear(-1, 0.25, 7, 0.75)
    s.view(0, 0)
    s.draw(D, E, F, first=3)
    s.show()
    return s


def nothing_cleared():
    """The canvas begins transparent black and lives on from frame to frame, as all state does."""
    s = simple()
    s.draw(A, B, C)
    s.show()
    s.begin()
    s.view(40, 24)
    s.draw(D, E, F, first=3)
    s.show()
    s.begin()
    s.draw(A, B, C)
    s.show()
    s.begin()
    s.view(0, 0)
    s.clear(*GRAY)
    s.draw(D, E, F, first=3)
    s.show()
    return s


def uploads():
    """An upload changes its part; the rest, and the size, stay as created: zeros are a colour."""
    s = Scene()
    s.pipeline()
    s.buffer(f32(*A, *B, *C[:2]), size=72)
    s.vertices()
    s.clear(*GRAY)
    s.draw(A, B, C[:2] + (0, 0, 0, 0))
    s.show()
    s.begin()
    s.add(packet(2, 1, 48, 24, s.blob(BUFFER, f32(*E)), 0))
    s.clear(*GRAY)
    s.draw(A, B, E)
    s.show()
    s.begin()
    s.add(packet(2, 1, 0, 8, s.blob(BUFFER, f32(*D[:2])), 0))
    s.clear(*GRAY)
    s.draw(D[:2] + A[2:], B, E)
    s.show()
    return s


def pipelines():
    s = simple()
    s.pipeline(2, fragment=TURNED)
    s.clear(*GRAY)
    s.draw(A, B, C, shade=lambda v: (v[1], v[2], v[0], v[3]))
    s.add(packet(5, 1))
    s.draw(D, E, F, first=3)
    s.show()
    return s


def created_again():
    """An id that is created again: what is set stays as it was until something is set."""
    s = simple()
    s.buffer(f32(*D, *E, *F))
    s.clear(*GRAY)
    s.draw(A, B, C)
    s.show()
    s.begin()
    s.vertices()
    s.pipeline(1, fragment=TURNED)
    s.draw(D, E, F, shade=lambda v: (v[1], v[2], v[0], v[3]))
    s.show()
    return s


def presented_twice():
    """A frame shows what its last PRESENT left, not what came behind it."""
    s = simple()
    s.clear(*GRAY)
    s.draw(A, B, C)
    s.add(packet(10))
    s.draw(D, E, F, first=3)
    s.add(packet(10))
    wanted = s.picture.copy()
    s.clear(1, 1, 1, 1)
    s.add(present(0))
    s.wanted.append(wanted)
    return s


SCENES = [upright, both_windings_and_order, offsets_and_stride, stride_of_nothing, viewports,
          viewport_beyond, canvas, clipped, perspective, clears, nothing_cleared, uploads,
          pipelines, created_again, presented_twice]


def judge_scene(build):
    scene = build()
    folder = os.path.join(work, build.__name__)
    size = "%dx%d" % scene.size
    rc, out, err = run(scene.trace(), "--png", folder, "--size", size)
    lines = re.findall(r"^frame (\d+): (\S+) sha256=([0-9a-f]{64})$", out, re.M)
    check(build.__name__, rc == 0 and not err and len(lines) == len(scene.wanted),
          "rc %d, %s%s" % (rc, out, err))
    for (index, shown, digest), wanted in zip(lines, scene.wanted):
        width, height, rgba = read_png(os.path.join(folder, "frame_%s.png" % index))
        wrong = wanted.differences(rgba)
        check("%s, frame %s" % (build.__name__, index), not wrong and shown == size,
              "%d pixels, the first: %s" % (len(wrong), wrong[:3]))
        alone = run(scene.trace(), "--frame", index, "--size", size)
        check("%s, frame %s alone" % (build.__name__, index),
              alone[:2] == (0, "frame %s: %s sha256=%s\n" % (index, shown, digest)), alone)


def judge_golden():
    """The golden trace of the documents is drawn as the formulas say, too."""
    folder = os.path.join(work, "golden")
    rc, out, err = run(make.traces()["pictures.aerogputrace"], "--png", folder)
    corners = [struct.unpack_from("<6f", make.CORNERS, 24 * i) for i in range(6)]
    triangles = [[(c[0], c[1], 1.0, c[2:]) for c in corners[i:i + 3]] for i in (0, 3)]
    picture = Picture(64, 64)
    picture.clear((0.125, 0.25, 0.5, 1))
    picture.triangle(triangles[0], (64, 64))
    first = picture.copy()
    picture.triangle(triangles[1], (40, 24))
    picture.triangle(triangles[0], (20, 50))
    for i, wanted in enumerate((first, picture)):
        wrong = wanted.differences(read_png(os.path.join(folder, "frame_%d.png" % i))[2])
        check("golden, frame %d" % i, rc == 0 and not wrong,
              "%d pixels: %s" % (len(wrong), wrong[:3]))


# ---- what is refused -----------------------------------------------------------------------------

SETUP = (blob(1, BUFFER, f32(*A, *B, *C)), blob(2, GLSL, VERTEX), blob(3, GLSL, FRAGMENT),
         blob(4, WGSL, b"fn vs_main() {}"))
SHADERS = (packet(3, 1, 0, 2, 0, 0, 0, 0, 0), packet(3, 2, 1, 3, 0, 0, 0, 0, 0))
READY = (packet(1, 1, 72, 0), packet(2, 1, 0, 72, 1, 0), *SHADERS, packet(4, 1, 1, 2), packet(5, 1),
         packet(6, 1, 24, 0, 8))
NAN, INF = 0x7FC00000, 0x7F800000
LOOPS = b"#version 300 es\nprecision highp float;\nin vec4 v;\nout vec4 o;\nvoid main() {\n" \
        b"  float x = v.r;\n  for (int c = 0; c < 60000; c++)\n" \
        b"    x = fract(x * 1.7 + float(c));\n  o = vec4(x);\n}\n"

REFUSED = [
    ("buffer unknown", (packet(2, 7, 0, 72, 1, 0),), "UPLOAD_BUFFER: there is no buffer 7"),
    ("blob missing", (packet(1, 1, 72, 0), packet(2, 1, 0, 72, 99, 1)),
     "UPLOAD_BUFFER: there is no blob 4294967395 before it"),
    ("blob of another kind", (packet(1, 1, 72, 0), packet(2, 1, 0, 72, 2, 0)),
     r"UPLOAD_BUFFER: blob 2 is ShaderGlslEs300 (0x5), not BufferData"),
    ("blob of another length", (packet(1, 1, 72, 0), packet(2, 1, 0, 71, 1, 0)),
     "UPLOAD_BUFFER: data_len_bytes is 71, the blob has 72 bytes"),
    ("blob behind its use", (packet(1, 1, 4, 0), packet(2, 1, 0, 4, 9, 0),
                             blob(9, BUFFER, b"4444")),
     "UPLOAD_BUFFER: there is no blob 9 before it"),
    ("upload beyond the buffer", (packet(1, 1, 80, 0), packet(2, 1, 9, 72, 1, 0)),
     "UPLOAD_BUFFER: 72 bytes at 9, the buffer has 80 bytes"),
    ("buffers beyond memory", tuple(packet(1, i, 0xF0000000, 0) for i in range(9)),
     "CREATE_BUFFER: 4026531840 bytes beside 32768, at most 1073741824"),
    ("shader only as WGSL", (packet(3, 1, 0, 0, 0, 4, 0, 0, 0),),
     "CREATE_SHADER: shader 1 has no GLSL ES 3.00, only WGSL, which alone can be compiled here"),
    ("shader that is none", (packet(3, 1, 0, 0, 0, 0, 0, 0, 0),),
     "CREATE_SHADER: shader 1 has no GLSL ES 3.00, which alone can be compiled here"),
    ("shader of another kind", (packet(3, 1, 0, 4, 0, 0, 0, 0, 0),),
     "CREATE_SHADER: blob 4 is ShaderWgsl (0x4), not ShaderGlslEs300"),
    ("shader unknown", (*SHADERS, packet(4, 1, 1, 9)),
     "CREATE_PIPELINE: there is no fragment shader 9"),
    ("shaders exchanged", (*SHADERS, packet(4, 1, 2, 1)),
     "CREATE_PIPELINE: the fragment shader does not compile: *"),
    ("shader that does not compile", (
        blob(9, GLSL, b"#version 300 es\nvoid main() {\n  gl_Position = vec4(nothing);\n}\n"),
        packet(3, 1, 0, 9, 0, 0, 0, 0, 0), *SHADERS[1:], packet(4, 1, 1, 2)),
     "CREATE_PIPELINE: the vertex shader does not compile: *`nothing' undeclared*"),
    ("shaders that do not link", (
        blob(9, GLSL, FRAGMENT.replace(b"in vec4 v", b"in vec4 other").replace(b"= v", b"= other")),
        *SHADERS[:1], packet(3, 2, 1, 9, 0, 0, 0, 0, 0), packet(4, 1, 1, 2)),
     "CREATE_PIPELINE: the shaders do not link: *"),
    ("shader too long", (blob(9, GLSL, VERTEX + b" " * 300000), packet(3, 1, 0, 9, 0, 0, 0, 0, 0)),
     "CREATE_SHADER: a shader of 300148 bytes, at most 262144"),
    ("shader of noise", (blob(9, GLSL, bytes(range(1, 256)) * 40),
                         packet(3, 1, 0, 9, 0, 0, 0, 0, 0), *SHADERS[1:], packet(4, 1, 1, 2)),
     "CREATE_PIPELINE: the vertex shader does not compile: *"),
    ("pipeline unknown", (packet(5, 3),), "SET_PIPELINE: there is no pipeline 3"),
    ("vertices without a pipeline", (packet(1, 1, 72, 0), packet(6, 1, 24, 0, 8)),
     "SET_VERTEX_BUFFER: no pipeline is set"),
    ("vertices of no buffer", (*SHADERS, packet(4, 1, 1, 2), packet(5, 1), packet(6, 3, 24, 0, 8)),
     "SET_VERTEX_BUFFER: there is no buffer 3"),
    ("stride that is odd", (*READY, packet(6, 1, 23, 0, 8)),
     "SET_VERTEX_BUFFER: stride 23, offsets 0 and 8: multiples of 4, and the stride at most 2048"),
    ("viewport of 2^32-1", (packet(7, 0xFFFFFFFF, 1),),
     "SET_VIEWPORT: 4294967295x1 pixels, at most 16384 a side"),
    ("draw without a pipeline", (packet(9, 3, 0),), "DRAW: no pipeline is set"),
    ("draw without vertices", (*SHADERS, packet(4, 1, 1, 2), packet(5, 1), packet(9, 3, 0)),
     "DRAW: no vertex buffer is set"),
    ("draw beyond the buffer", (*READY, packet(9, 3, 1)),
     "DRAW: the position of vertex 3 ends at 80, the buffer has 72 bytes"),
    ("colour beyond the buffer", (*READY, packet(6, 1, 24, 0, 12), packet(9, 3, 0)),
     "DRAW: the colour of vertex 2 ends at 76, the buffer has 72 bytes"),
    ("draw of 2^32-1", (*READY, packet(9, 0xFFFFFFFF, 0xFFFFFFFF)),
     "DRAW: 4294967295 vertices from 4294967295"),
    ("packet cut short", (packet(9, 3),), "DRAW: 12 bytes, it takes 16"),
    ("opcode unknown", (packet(99),), "packet: unknown opcode 0x0063"),
    ("dwords wrong", (make.record(make.PACKET, struct.pack("<3I", 9, 4, 0)),),
     "packet: total_dwords is 4, the payload has 12 bytes"),
    ("stream among packets", (*READY, make.record(make.PACKET, make.RED)),
     "ACMD command streams among commands that the gles back end executes*"),
]


def offset_of_last(records):
    """Where the last packet of these stands in the trace."""
    before = trace(begin(0), *SETUP, seal=False)
    at, last = len(before), 0
    for r in records:
        if r[0] == make.PACKET:
            last = at
        at += len(r)
    return last


def matches(pattern, text):
    return re.fullmatch(re.escape(pattern).replace(r"\*", ".*"), text) is not None


def judge_refusal(what, records, wanted):
    data = trace(begin(0), *SETUP, *records, packet(10), present(0), abi=1)
    rc, out, err = run(data)
    line = err.splitlines()[-1] if err else ""
    found = re.fullmatch(r"rastrum: T: offset (\d+): (.*)", line)
    at = offset_of_last(records) if "memory" not in what else int(found[1]) if found else -1
    check(what, rc == 2 and not out and found and int(found[1]) in (at, at + 8) and
          matches(wanted, found[2]), "rc %d %s%s" % (rc, out, err))


def judge_odd():
    """What is odd, and no mistake."""
    show = (packet(10), present(0))
    rc, out, err = run(trace(begin(0), *SETUP, *READY, packet(8, NAN, INF, 0, 0x3F800000), *show))
    check("clear to NaN and infinity", rc == 0 and out.startswith("frame 0:"), err)
    nan = blob(9, BUFFER, struct.pack("<18I", *[NAN, INF, NAN, NAN, 0xFF800000, 0x7F7FFFFF] * 3))
    rc, out, err = run(trace(begin(0), *SETUP, nan, *READY, packet(2, 1, 0, 72, 9, 0),
                             packet(8, 0, 0, 0, 0), packet(9, 3, 0), *show))
    check("corners that are no numbers", rc == 0 and out.startswith("frame 0:"), err)
    rc, out, err = run(trace(begin(0), *SETUP, *READY, packet(9, 0, 4000000), packet(9, 2, 0),
                             *show))
    check("draws of less than a triangle", rc == 0 and out.startswith("frame 0:"), err)
    rc, out, err = run(trace(begin(0), *SETUP, *READY, packet(9, 3, 0), present(0)))
    check("no PRESENT", rc == 3 and not out and
          "frame 0 ends without a PRESENT: it has no picture" in err, (rc, out, err))
    rc, out, err = run(trace(*SETUP, packet(10), begin(0), *show))
    check("PRESENT outside", rc == 3 and out.startswith("frame 0:") and
          "PRESENT outside of a frame" in err, (rc, out, err))
    rc, out, err = run(trace(begin(0), *show, abi=0))
    check("ABI 0", rc == 2 and "command_abi_version 0x00000000 is neither 1 nor 1.x" in err, err)
    empty = VERTEX.replace(b"p, 0.0", b"vec2[3](vec2(-1, -1), vec2(3, -1), vec2(-1, 3))"
                           b"[gl_VertexID], 0.0").replace(b"v = c", b"v = vec4(1, 0, 0, 1)")
    rc, out, err = run(trace(begin(0), blob(2, GLSL, empty), blob(3, GLSL, FRAGMENT), *SHADERS,
                             packet(4, 1, 1, 2), packet(5, 1), packet(9, 3, 0), *show))
    check("a shader that reads no vertices", rc == 0 and "1171a4a5" in out, (rc, out, err))
    gap = trace(begin(0), *SETUP, *READY, packet(8, 0, 0, 0, 0), make.record(0x41, b"what"), *show)
    rc, out, err = run(gap)
    check("behind a gap", rc == 3 and out.rstrip().endswith(" inexact: gap"), (rc, out, err))
    rc, out, err = run(gap, "--json")
    check("behind a gap, as JSON", rc == 3 and json.loads(out)["frames"][0]["inexact"] == ["gap"]
          and json.loads(out)["result"] == "inexact", out)


def judge_hang():
    """A shader that runs for hours is ended; the frame before is shown. (The driver leaves a loop
    after 65535 rounds: it takes many pixels, too.)"""
    rc, out, err = run(trace(begin(0), *SETUP, *READY, packet(8, 0, 0, 0, 0), packet(10),
                             present(0),
                             begin(1), blob(9, GLSL, LOOPS), packet(3, 3, 1, 9, 0, 0, 0, 0, 0),
                             packet(4, 2, 1, 3), packet(5, 2), packet(9, 3, 0), packet(10),
                             present(1)), "--timeout", "2", "--size", "2048x2048")
    check("a shader that never ends", rc == 2 and out.startswith("frame 0:") and
          out.count("\n") == 1 and "the OpenGL driver took longer than 2000 ms" in err,
          (rc, out, err))


def main():
    rc, _, err = run(trace(begin(0), packet(10), present(0)))
    if rc == 2 and "OpenGL ES 3 is not here" in err:
        print(err)
        return 77
    for build in SCENES:
        judge_scene(build)
    judge_golden()
    for row in REFUSED:
        judge_refusal(*row)
    judge_odd()
    judge_hang()
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    status = main()
    subprocess.run(["rm", "-rf", work], check=False)
    sys.exit(status)
