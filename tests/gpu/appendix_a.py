#!/usr/bin/env python3
"""appendix_a.py - packets of Appendix A come out as the formulas say.

appendix_a.py RASTRUM [BACKEND]

Every picture is drawn by the program and by slow_packets.py, of traces that make.py of the golden
ones puts together.
"""
import os
import re
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from packets import (A, B, BUFFER, C, D, DEEP, E, F, FRAGMENT, GLSL, GRAY, TURNED,  # noqa: E402
                     VERTEX, absent, begin, blob, check, close, f32, make, packet, present,
                     read_png, run, trace, words, work)
from slow_packets import Picture  # noqa: E402


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
    """Colour before position, with holes, after a first vertex that is not drawn."""
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
    """A frame shows what its last PRESENT left, not a later draw."""
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


def main():
    if absent():
        return 77
    for build in SCENES:
        judge_scene(build)
    judge_golden()
    return close()


if __name__ == "__main__":
    sys.exit(main())
