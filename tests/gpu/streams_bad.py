#!/usr/bin/env python3
"""streams_bad.py - bad and rare ACMD streams as a user meets them: a line with the offset and the
opcode, exit 2 or 3, and never a frame that is called exact and may not be.

streams_bad.py RASTRUM
"""
import os
import re
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
import acmd  # noqa: E402
from acmd import MEMORY, STREAM, command, dxbc, f32, layout_blob, pad4, u32, u64  # noqa: E402
from packets import begin, blob, check, close, make, present, run, trace  # noqa: E402
from parts import (COLOR, LEFT_UP, PASS_ON, POSITION, PS_OUT, VS_IN, VS_OUT,  # noqa: E402
                   one_triangle)
from scene import Scene  # noqa: E402

NAN, INF = float("nan"), float("inf")
DRAW = command(0x601, u32(3, 1, 0, 0))
PRESENT = command(0x700, u32(0, 0))
CORNERS = one_triangle(Scene(1), *LEFT_UP)


def shader(handle, vertex, inputs, outputs, lines):
    body = dxbc(vertex, inputs, outputs, lines)
    return command(0x200, u32(handle, 0 if vertex else 1, len(body), 0) + pad4(body))


def buffer(handle, data, alloc=0):
    made = command(0x100, u32(handle, 0) + u64(len(data)) + u32(alloc, 0) + u64(0))
    return made if alloc else made + upload(handle, data)


def upload(handle, data, at=0):
    return command(0x104, u32(handle, 0) + u64(at, len(data)) + pad4(data))


def texture(handle, form=3, width=16, height=8, alloc=0):
    return command(0x101, u32(handle, 0, form, width, height, 1, 1, 0, alloc, 0) + u64(0))


def targets(color, depth=0):
    return command(0x400, u32(1, depth, color, *[0] * 7))


def viewport(*numbers):
    return command(0x401, f32(*numbers))


def clear(*rgba):
    return command(0x600, u32(1) + f32(*rgba, 0) + u32(0))


def layout(handle, elements):
    body = layout_blob(elements)
    return command(0x204, u32(handle, len(body), 0) + pad4(body)) + command(0x206, u32(handle, 0))


# A target, a buffer of three corners, shaders that hand on colors: ready to draw.
READY = (texture(1) + targets(1) + clear(0, 0, 1, 1) + command(0x302, u32(0, 0, 0, 0, 0, 0))
         + buffer(2, CORNERS) + command(0x500, u32(0, 1, 2, 32, 0, 0))
         + shader(10, True, VS_IN, VS_OUT, PASS_ON)
         + shader(11, False, [(COLOR, 0, 1, 15)], PS_OUT, [("mov", "o0", "v1")])
         + command(0x202, u32(10, 11, 0, 0))
         + layout(20, [(POSITION, 0, 2, 0, 0, 0, 0), (COLOR, 0, 2, 0, 16, 0, 0)]))


def submitted(number, *commands, memory=()):
    """A stream and its submission; memory: (alloc id, bytes)."""
    ranges, blobs = [], b""
    for i, (alloc, data) in enumerate(memory):
        blobs += blob(number + 1 + i, MEMORY, data)
        ranges.append((alloc, 4096 * alloc, len(data), number + 1 + i))
    return (blob(number, STREAM, acmd.stream(*commands)) + blobs
            + acmd.submission(number, 0, ranges))


def frame(*records):
    return trace(begin(0), *records, present(0), version=2, abi=0x10004)


def offset_of(*before):
    """The offset of the command after these in frame(submitted(1, READY, ...))."""
    head = trace(begin(0), version=2, abi=0x10004, seal=False)
    return len(head) + 8 + 16 + 24 + len(READY + b"".join(before))


# what: commands after READY, the last of which is the bad one; its line
REFUSED = [
    ("handle unknown", (targets(77),), "SET_RENDER_TARGETS: color target 77 does not exist"),
    ("handle destroyed", (command(0x102, u32(2, 0)), upload(2, b"1234")),
     "UPLOAD_RESOURCE: resource 2 does not exist"),
    ("handle of a destroyed texture that is shown", (command(0x102, u32(1, 0)), PRESENT),
     "PRESENT: target 1 was destroyed"),
    ("handle used again", (buffer(1, b""),), "CREATE_BUFFER: handle 1 is a texture already"),
    ("handle 0", (texture(0),), "CREATE_TEXTURE2D: handle 0 is reserved"),
    ("handle of another type", (command(0x500, u32(0, 1, 1, 32, 0, 0)),),
     "SET_VERTEX_BUFFERS: buffer 1 is a texture, not a buffer"),
    ("layout as a shader", (command(0x202, u32(20, 11, 0, 0)),),
     "BIND_SHADERS: shader 20 does not exist"),
    ("shaders exchanged", (command(0x202, u32(11, 10, 0, 0)), DRAW),
     "DRAW: shader 11 is not a vertex shader"),
    ("no pixel shader", (command(0x202, u32(10, 0, 0, 0)), DRAW),
     "DRAW: no pixel shader is bound"),
    ("no layout", (command(0x206, u32(0, 0)), DRAW),
     "DRAW: no input layout for input 0 of the vertex shader (semantic 0x7808e88a, index 0)"),
    ("no vertices", (command(0x500, u32(0, 1, 0, 0, 0, 0)), DRAW),
     "DRAW: no vertex buffer in slot 0"),
    ("no indices", (command(0x602, u32(3, 1, 0, 0, 0)),), "DRAW_INDEXED: no index buffer is bound"),
    ("vertices beyond the buffer", (command(0x601, u32(3, 1, 1, 0)),),
     "DRAW: vertex 3 lies beyond the 96 bytes of slot 0"),
    ("no shader", (command(0x200, u32(12, 1, 4, 0) + b"what"),),
     "CREATE_SHADER_DXBC: shader 12: 4 bytes are not a DXBC container"),
    ("a token that was not exported", (command(0x711, u32(5, 0) + u64(9)),),
     "IMPORT_SHARED_SURFACE: share token 0x9 is not known"),
    ("a surface imported over itself", (command(0x710, u32(1, 0) + u64(9)),
                                        command(0x711, u32(1, 0) + u64(9))),
     "IMPORT_SHARED_SURFACE: handle 1 is a texture already"),
    ("a surface read and drawn through two names", (
        command(0x710, u32(1, 0) + u64(9)), command(0x711, u32(5, 0) + u64(9)),
        shader(12, False, [(COLOR, 0, 1, 15)], PS_OUT, [("ld", "o0", (0, 0, 0, 0), "t0")]),
        command(0x202, u32(10, 12, 0, 0)), command(0x510, u32(1, 0, 5, 0)), DRAW),
     "DRAW: texture 5 is drawn on and read at once"),
    ("a surface through a view of its alias", (
        command(0x710, u32(1, 0) + u64(9)), command(0x711, u32(5, 0) + u64(9)),
        command(0x107, u32(6, 5, 3, 0, 1, 0, 1) + u64(0)),
        shader(12, False, [(COLOR, 0, 1, 15)], PS_OUT, [("ld", "o0", (0, 0, 0, 0), "t0")]),
        command(0x202, u32(10, 12, 0, 0)), command(0x510, u32(1, 0, 6, 0)), DRAW),
     "DRAW: texture 6 is drawn on and read at once"),
    ("command cut short", (command(0x601, u32(3)),), "DRAW: 12 bytes, at least 24 wanted"),
    ("command beyond the stream", (struct.pack("<2I", 0x601, 400),), "ACMD: *"),
    ("upload longer than its command", (command(0x104, u32(2, 0) + u64(0, 64) + b"1234"),),
     "UPLOAD_RESOURCE: 64 items of 1 bytes in a command of 36"),
]

SAMPLED = (shader(12, False, [(COLOR, 0, 1, 15)], PS_OUT, [("sample", "o0", "v1", "t0", "s0")])
           + command(0x202, u32(10, 12, 0, 0)) + texture(5) + command(0x510, u32(1, 0, 5, 0)))


def counting(name):
    """A vertex shader that asks how the draw counts; its first input."""
    return (shader(12, True, VS_IN + [(name, 0, 2, 1)], VS_OUT, PASS_ON + [("mov", "r0.x", "v2")])
            + command(0x202, u32(12, 11, 0, 0)))


# what: commands after READY; what the line of the frame and the remark say
INEXACT = [
    ("corners that are no numbers", (upload(2, f32(NAN), 4), DRAW), "DRAW",
     "DRAW: a position is not a number, its triangles are left out"),
    ("corners that are infinite", (upload(2, f32(-INF), 32), DRAW), "DRAW",
     "DRAW: a position is not a number, its triangles are left out"),
    *[("a viewport of %gx%g" % size, (viewport(0, 0, *size, 0, 1), DRAW), "SET_VIEWPORT",
       "SET_VIEWPORT: %gx%g at 0,0 with depth 0 to 1 is not a valid viewport" % size)
      for size in ((0, 8), (16, 0), (-16, 8), (16, -8), (INF, 8))],
    ("a viewport at NaN", (viewport(NAN, 0, 16, 8, 0, 1), DRAW), "SET_VIEWPORT",
     "SET_VIEWPORT: 16x8 at *nan,0 with depth 0 to 1 is not a valid viewport"),
    ("a compute shader", (command(0x603, u32(1, 1, 1, 0)),), "DISPATCH",
     "DISPATCH: compute shaders are not executed"),
    ("a geometry shader", (command(0x202, u32(10, 11, 0, 10)), DRAW), "DRAW",
     "DRAW: a geometry, hull or domain shader is bound"),
    ("an opcode of tomorrow", (command(0x999, b""),), "UNKNOWN",
     "UNKNOWN: opcode 0x999 is not known"),
    # Where Direct3D and WebGPU count differently, the meaning is not known.
    ("SV_VertexID after a first vertex", (
        buffer(3, CORNERS + CORNERS), command(0x500, u32(0, 1, 3, 32, 0, 0)),
        counting("SV_VertexID"), command(0x601, u32(3, 1, 1, 0))), "DRAW",
     "DRAW: SV_VertexID after a first or base vertex is not the same everywhere"),
    ("SV_InstanceID after a first instance", (
        counting("SV_InstanceID"), command(0x601, u32(3, 1, 0, 1))), "DRAW",
     "DRAW: SV_InstanceID after a first instance is not the same everywhere"),
    # A state for a slot that an object has: nothing says which of them counts.
    ("a sampler state beside a sampler", (
        SAMPLED, command(0x520, u32(7, 0, 1, 1, 1)), command(0x522, u32(1, 0, 1, 0, 7)),
        command(0x511, u32(1, 0, 1, 3)), DRAW), "SET_SAMPLER_STATE",
     "SET_SAMPLER_STATE: slot 0 has sampler 7, which stays"),
]


def state(number, value):
    return command(0x512, u32(number, value))


def sampler_state(number, value):
    return command(0x511, u32(1, 0, number, value))


DEPTH = texture(6, 33) + targets(1, 6) + command(0x600, u32(2) + f32(0, 0, 0, 0, 1) + u32(0))

INEXACT += [
    *[("state %d = %d of Direct3D 9" % (number, value), (state(number, value), DRAW),
       "SET_RENDER_STATE", "SET_RENDER_STATE: state %d = %d has no effect here" % (number, value))
      for number, value in ((0, 0), (7, 2), (8, 1), (9, 1), (19, 0), (19, 12), (20, 16), (22, 4),
                            (23, 9), (28, 1), (60, 5), (137, 1), (171, 6), (194, 1), (195, 1),
                            (300, 0), (0xFFFFFFFF, 0))],
    ("an alpha test", (state(25, 5), state(15, 1), DRAW), "SET_RENDER_STATE",
     "SET_RENDER_STATE: state 15 = 1 has no effect here"),
    ("wireframe by Direct3D 9", (state(8, 2), DRAW), "DRAW", "DRAW: wireframes are not drawn"),
    ("addresses beyond a border", (SAMPLED, sampler_state(1, 4), DRAW), "SET_SAMPLER_STATE",
     "SET_SAMPLER_STATE: state 1 = 4 has no effect here"),
    # Defaults of Direct3D 9 and 11 are not the same.
    ("a depth test that was not set", (DEPTH, state(22, 1), DRAW), "DRAW",
     "DRAW: the default depth test is not that of Direct3D 9"),
    ("a depth function that was not set", (DEPTH, state(7, 1), DRAW), "DRAW",
     "DRAW: the default depth test is not that of Direct3D 9"),
    ("a sampler that was not set", (SAMPLED, state(22, 1), DRAW), "DRAW",
     "DRAW: the default sampler is linear in Direct3D 11, not in 9"),
]

EXACT = [
    ("states that are set back", (
        *[state(*s) for s in ((28, 1), (28, 0), (25, 5), (15, 1), (25, 8), (19, 12), (19, 2),
                              (194, 1), (194, 0))], DRAW)),
    ("an alpha test that all pass", (state(15, 1), DRAW)),
    ("parameters of what is off", tuple(
        state(number, 77) for number in (16, 24, 34, 36, 38, 48, 139, 140, 154, 160, 162, 166,
                                         176)) + (DRAW,)),
    ("depth by Direct3D 9", (DEPTH, state(7, 1), state(23, 4), DRAW)),
    ("no depth by Direct3D 9", (DEPTH, state(7, 0), DRAW)),
    ("depth by Direct3D 11 beside it", (
        DEPTH, state(22, 1), command(0x301, u32(1, 1, 3, 0) + bytes(4)), DRAW)),
    ("a border that nothing shows, and none any more", (
        SAMPLED, sampler_state(4, 0x11223344), sampler_state(10, 16), sampler_state(1, 4),
        sampler_state(1, 3), sampler_state(11, 0), DRAW)),
    ("a sampler of Direct3D 11 that was not set", (SAMPLED, DRAW)),
    ("SV_VertexID from 0", (counting("SV_VertexID"), DRAW)),
    ("SV_InstanceID from 0", (counting("SV_InstanceID"), command(0x601, u32(3, 2, 0, 0)))),
    ("a repaired viewport", (viewport(0, 0, 0, 8, 0, 1), viewport(0, 0, 16, 8, 0, 1), DRAW)),
    ("what a CLEAR takes away", (upload(2, f32(NAN), 4), DRAW, clear(1, 1, 1, 1))),
]


def matches(pattern, text):
    return re.fullmatch(re.escape(pattern).replace(r"\*", ".*"), text) is not None


def reported(err):
    """(offset, text) of the last line."""
    found = re.fullmatch(r"rastrum: T: offset (\d+): (.*)", (err.splitlines() or [""])[-1])
    return (int(found[1]), found[2]) if found else (-1, err)


def judge_refused():
    for what, commands, wanted in REFUSED:
        rc, out, err = run(frame(submitted(1, READY, *commands, PRESENT)))
        at, text = reported(err)
        check(what, rc == 2 and not out and at == offset_of(*commands[:-1]) and
              matches(wanted, text), (rc, out, err))


def judge_inexact():
    for what, commands, names, wanted in INEXACT:
        rc, out, err = run(frame(submitted(1, READY, *commands, PRESENT)))
        check(what, rc == 3 and out.endswith(" inexact: %s\n" % names) and
              matches(wanted, reported(err)[1]), (rc, out, err))
    for what, commands in EXACT:
        rc, out, err = run(frame(submitted(1, READY, *commands, PRESENT)))
        check(what, rc == 0 and "inexact" not in out, (rc, out, err))


def judge_memory():
    """What a copy wrote back into an allocation is newer than what the submission brought of it."""
    first = buffer(3, CORNERS, 7) + command(0x500, u32(0, 1, 3, 32, 0, 0))
    copy = command(0x105, u32(3, 2) + u64(0, 0, 96) + u32(1, 0))
    dirty = command(0x103, u32(3, 0) + u64(0, 96))
    memory = [(7, CORNERS[::-1][:96])]
    rc, out, err = run(frame(submitted(1, READY, first, copy, dirty, DRAW, PRESENT, memory=memory)))
    check("memory written back and read again", rc == 3 and
          out.endswith(" inexact: RESOURCE_DIRTY_RANGE\n") and reported(err)[1] ==
          "RESOURCE_DIRTY_RANGE: allocation 7 was written by a copy before", (rc, out, err))
    rc, out, err = run(frame(submitted(1, READY, first, copy, memory=memory),
                             submitted(9, dirty, DRAW, PRESENT, memory=[(7, CORNERS)])))
    check("memory of the next submission", rc == 0 and "inexact" not in out, (rc, out, err))
    rc, out, err = run(frame(submitted(1, READY, first, DRAW, PRESENT)))
    check("memory that is not there", rc == 3 and out.endswith(" inexact: CREATE_BUFFER\n"),
          (rc, out, err))


def judge_records():
    """Submissions and their blobs."""
    ready, shown = submitted(1, READY, DRAW), submitted(9, PRESENT)
    rc, out, err = run(frame(ready, blob(5, STREAM, b""), acmd.submission(5, 0, []), shown))
    check("a submission that its recorder could not read", rc == 3 and
          out.endswith(" inexact: UNKNOWN\n") and reported(err)[1] ==
          "ACMD: a submission without commands", (rc, out, err))
    gap = make.record(0x41, b"what")
    for what, records, exact in (("after a gap", (ready, gap, shown), False),
                                 ("a gap after a PRESENT", (ready, shown, gap), False)):
        rc, out, err = run(frame(*records))
        check(what, rc == 3 and out.endswith(" inexact: gap\n") != exact, (rc, out, err))
    rc, out, err = run(trace(begin(0), ready, shown, present(0), gap, version=2, abi=0x10004))
    check("a gap after the frame", rc == 3 and "inexact" not in out, (rc, out, err))
    for what, records, wanted in (
            ("stream missing", (acmd.submission(5, 0, []),),
             "AerogpuSubmission: cmd_stream: there is no blob 5 before it"),
            ("stream after it", (acmd.submission(5, 0, []), blob(5, STREAM, b"")),
             "AerogpuSubmission: cmd_stream: there is no blob 5 before it"),
            ("stream of another kind", (blob(5, MEMORY, b"1"), acmd.submission(5, 0, [])),
             "AerogpuSubmission: cmd_stream: blob 5 is AerogpuAllocMemory (0x102), not "
             "AerogpuCmdStream"),
            ("memory missing", (blob(5, STREAM, acmd.stream(PRESENT)),
                                acmd.submission(5, 0, [(7, 4096, 4, 6)])),
             "AerogpuSubmission: range 0: there is no blob 6 before it"),
            ("memory of another length", (
                blob(5, STREAM, acmd.stream(PRESENT)), blob(6, MEMORY, b"12345"),
                acmd.submission(5, 0, [(7, 4096, 4, 6)])),
             "AerogpuSubmission: range 0: size_bytes is 4, the blob has 5 bytes"),
            ("memory twice", (
                blob(5, STREAM, acmd.stream(PRESENT)), blob(6, MEMORY, b"1234"),
                acmd.submission(5, 0, [(7, 4096, 4, 6), (7, 4096, 4, 6)])),
             "AerogpuSubmission: range 1: alloc_id 7 occurs twice"),
            ("a table that is none", (
                blob(5, STREAM, acmd.stream(PRESENT)), blob(6, 0x101, b"1234"),
                acmd.submission(5, 6, [])),
             "AerogpuSubmission: alloc_table: *")):
        rc, out, err = run(frame(*records))
        check(what, rc == 2 and not out and matches(wanted, reported(err)[1]), (rc, out, err))


def judge_depth_alone():
    """A draw on depth alone has no picture, which is not to say that there is no such draw."""
    only = DEPTH + command(0x400, u32(0, 6, *[0] * 8))
    data = frame(submitted(1, READY, only, DRAW, targets(1), DRAW, PRESENT))
    rc, out, err = run(data, "--until-draw", "1")
    check("a draw on depth alone", rc == 2 and not out and reported(err)[1] ==
          "draw 1 of frame 0 has no color target 0 to show", (rc, out, err))
    rc, out, err = run(data, "--until-draw", "2")
    check("the draw after it", rc == 0 and out.endswith(" after draw 2\n"), (rc, out, err))


def judge_lone():
    """A stream of its own is one frame; what is whole of a cut one is executed."""
    stream = acmd.stream(READY, DRAW, PRESENT, command(0x000, b""))
    rc, out, err = run(stream)
    check("a lone stream", rc == 0 and out == run(frame(submitted(1, READY, DRAW, PRESENT)))[1],
          (rc, out, err))
    rc, alone, err = run(stream, "--frame", "0", "--until-draw", "1")
    check("a lone stream up to a draw", rc == 0 and alone == out[:-1] + " after draw 1\n",
          (rc, alone, err))
    rc, none, err = run(stream, "--frame", "1")
    check("another frame of it", rc == 1 and not none and "frame 1 is not presented" in err, err)
    rc, cut, err = run(stream[:-4])
    check("a lone stream cut after PRESENT", rc == 3 and cut == out[:-1] + " inexact: gap\n" and
          "cut: stream of %d bytes, %d are there" % (len(stream), len(stream) - 4) in err,
          (rc, cut, err))
    rc, cut, err = run(stream[:-16])
    check("a lone stream cut before PRESENT", rc == 3 and not cut and "it has no picture" in err,
          (rc, cut, err))
    rc, bad, err = run(stream[:-8] + u32(0, 7))
    check("a lone stream that is damaged", rc == 3 and bad == out[:-1] + " inexact: gap\n",
          (rc, bad, err))
    rc, backed, err = run(acmd.stream(READY, buffer(3, CORNERS, 7),
                                      command(0x500, u32(0, 1, 3, 32, 0, 0)), DRAW, PRESENT))
    check("a lone stream without its memory", rc == 3 and
          backed.endswith(" inexact: CREATE_BUFFER\n"), (rc, backed, err))


def main():
    judge_refused()
    judge_inexact()
    judge_memory()
    judge_records()
    judge_depth_alone()
    judge_lone()
    return close()


if __name__ == "__main__":
    sys.exit(main())
