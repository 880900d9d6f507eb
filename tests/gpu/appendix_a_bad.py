#!/usr/bin/env python3
"""appendix_a_bad.py - bad packets fail with their offset; bad shaders end a process, not ours.

appendix_a_bad.py RASTRUM
"""
import ctypes
import json
import os
import platform
import re
import signal
import struct
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from packets import (A, B, BUFFER, C, FRAGMENT, GLSL, RASTRUM, VERTEX, WGSL, absent,  # noqa: E402
                     begin, blob, check, close, f32, make, packet, present, run, trace, work)

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
    ("blob after its use", (packet(1, 1, 4, 0), packet(2, 1, 0, 4, 9, 0),
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
    ("stride that is not even", (*READY, packet(6, 1, 23, 0, 8)),
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
     "ACMD command streams in a trace that the gles back end executes*"),
]


def offset_of_last(records):
    """The offset of the last packet of these in the trace."""
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
    """Unusual, but valid."""
    show = (packet(10), present(0))
    rc, out, err = run(trace(begin(0), *SETUP, *READY, packet(8, NAN, INF, 0, 0x3F800000), *show))
    check("clear to NaN and infinity", rc == 0 and out.startswith("frame 0:"), err)
    nan = blob(9, BUFFER, struct.pack("<18I", *[NAN, INF, NAN, NAN, 0xFF800000, 0x7F7FFFFF] * 3))
    rc, out, err = run(trace(begin(0), *SETUP, nan, *READY, packet(2, 1, 0, 72, 9, 0),
                             packet(8, 0, 0, 0, 0), packet(9, 3, 0), *show))
    check("corners that are no numbers", rc == 3 and out.endswith(" inexact: DRAW\n") and
          "DRAW: the position of vertex 0 is not a number" in err, (rc, out, err))
    rc, out, err = run(trace(begin(0), *SETUP, nan, *READY, packet(2, 1, 0, 72, 9, 0),
                             packet(8, 0, 0, 0, 0), packet(9, 3, 0), packet(8, 0, 0, 0, 0), *show))
    check("corners that a CLEAR takes away", rc == 0 and "inexact" not in out, (rc, out, err))
    gray = blob(9, BUFFER, f32(*A, *B, *C[:2], 0, float("nan"), 0, 1))
    rc, out, err = run(trace(begin(0), *SETUP, gray, *READY, packet(2, 1, 0, 72, 9, 0),
                             packet(9, 3, 0), *show))
    check("a colour that is no number", rc == 3 and out.endswith(" inexact: DRAW\n") and
          "DRAW: the colour of vertex 2 is not a number" in err, (rc, out, err))
    rc, out, err = run(trace(begin(0), *SETUP, gray, *READY, packet(2, 1, 0, 72, 9, 0),
                             packet(9, 3, 0), *show), "--backend", "software")
    check("a colour that is no number, in software", rc == 2 and
          "DRAW: the colour of vertex 2 is not a number" in err, (rc, out, err))
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
    check("after a gap", rc == 3 and out.rstrip().endswith(" inexact: gap"), (rc, out, err))
    rc, out, err = run(gap, "--json")
    check("after a gap, as JSON", rc == 3 and json.loads(out)["frames"][0]["inexact"] == ["gap"]
          and json.loads(out)["result"] == "inexact", out)


def hanging(fragment):
    """A frame that is drawn, then one that takes this shader."""
    return trace(begin(0), *SETUP, *READY, packet(8, 0, 0, 0, 0), packet(10), present(0),
                 begin(1), blob(9, GLSL, fragment), packet(3, 3, 1, 9, 0, 0, 0, 0, 0),
                 packet(4, 2, 1, 3), packet(5, 2), packet(9, 3, 0), packet(10), present(1))


def judge_hang():
    """A shader that runs for hours, or takes all memory to compile, is ended; the frame before is
    shown. (The driver leaves a loop after 65535 rounds: it takes many pixels, too.)"""
    doubling = b"".join(b"#define a%d a%d a%d\n" % (i, i + 1, i + 1) for i in range(40))
    growing = FRAGMENT.replace(b"out vec4 o;\n", b"out vec4 o;\n" + doubling +
                               b"#define a40 +v\n").replace(b"o = v", b"o = v a0")
    for what, shader in (("draw", LOOPS), ("compile", growing)):
        rc, out, err = run(hanging(shader), "--timeout", "2", "--size", "2048x2048")
        check("a shader that takes hours to " + what, rc == 2 and out.startswith("frame 0:") and
              out.count("\n") == 1 and "the OpenGL driver took longer than 2000 ms" in err,
              (rc, out, err))


def judge_crash():
    rc, out, err = run(hanging(FRAGMENT.replace(
        b"o = v", b"float a[1000000000];\n  a[int(v.r)] = 1.0;\n  o = vec4(a[int(v.g)])")))
    check("a shader that crashes the driver", rc == 2 and out.count("\n") == 1 and
          re.search(r"CREATE_PIPELINE: the OpenGL driver (crashed|took longer)", err),
          (rc, out, err))


def children(pid):
    found = []
    for entry in os.listdir("/proc"):
        try:
            stat = open("/proc/%s/stat" % entry).read() if entry.isdigit() else ""
        except OSError:
            continue
        fields = stat.rpartition(")")[2].split()
        if fields and int(fields[1]) == pid and fields[0] != "Z":
            found.append(int(entry))
    return found


def start_hanging():
    """The program while its driver draws for hours, and the driver's process."""
    path = os.path.join(work, "hanging.aerogputrace")
    with open(path, "wb") as out:
        out.write(hanging(LOOPS))
    program = subprocess.Popen([RASTRUM, "replay", "--timeout", "60", "--size", "1024x1024", path],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    program.stdout.readline()  # the first frame is there
    return program, children(program.pid)


def judge_processes():
    """The driver's process goes alone when it crashes, and with the program when that is ended."""
    program, drivers = start_hanging()
    for pid in drivers:
        os.kill(pid, signal.SIGSEGV)
    err = program.communicate(timeout=60)[1].decode()
    check("a crash", len(drivers) == 1 and program.returncode == 2 and
          "the OpenGL driver crashed (signal 11)" in err, (drivers, program.returncode, err))
    program, drivers = start_hanging()
    program.kill()
    program.communicate()
    end = time.monotonic() + 60
    while any(os.path.exists("/proc/%d" % pid) for pid in drivers) and time.monotonic() < end:
        time.sleep(0.05)
    check("an end of the program", len(drivers) == 1 and
          not os.path.exists("/proc/%d" % drivers[0]), drivers)


# Filters of calls to the kernel, as it takes them: (code, if true, if false, value). The second
# refuses seccomp(), whose number is compared.
ALL_ALLOWED = ((6, 0, 0, 0x7FFF0000),)


def none_but_this(number):
    return ((0x20, 0, 0, 0), (0x15, 0, 1, number), (6, 0, 0, 0x50000 | 1), (6, 0, 0, 0x7FFF0000))


def set_filter(code):
    """In a process that is about to run the program. False: the kernel does not do it."""
    libc = ctypes.CDLL(None, use_errno=True)
    program = b"".join(struct.pack("<HBBI", *line) for line in code)
    room = ctypes.create_string_buffer(program, len(program))
    head = struct.pack("<H6xQ", len(code), ctypes.addressof(room))
    return libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, head) == 0


def judge_filter():
    """The driver's process runs with a filter where there are filters, and without one where a
    filter is refused."""
    seccomp = {"x86_64": 317, "aarch64": 277}.get(platform.machine())
    probe = subprocess.run([sys.executable, "-c", ""], timeout=60,
                           preexec_fn=lambda: os._exit(0 if set_filter(ALL_ALLOWED) else 1))
    if seccomp is None or probe.returncode:
        return
    program, drivers = start_hanging()
    states = [re.findall(r"Seccomp:\s*(\d)", open("/proc/%d/status" % pid).read())
              for pid in drivers]
    program.kill()
    program.communicate()
    check("a filter", states == [["2"]], states)
    path = os.path.join(work, "plain.aerogputrace")
    with open(path, "wb") as out:
        out.write(make.traces()["pictures.aerogputrace"])
    plain = subprocess.run([RASTRUM, "replay", "--backend", "gles", path], capture_output=True,
                           timeout=300)
    bare = subprocess.run([RASTRUM, "replay", "--backend", "gles", path], capture_output=True,
                          timeout=300, preexec_fn=lambda: set_filter(none_but_this(seccomp)))
    check("no filter", bare.returncode == 0 and bare.stdout == plain.stdout and
          plain.stdout.count(b"\n") == 2, (bare, plain))


def judge_absent():
    """Without OpenGL ES the program says what to install, and draws what it can prove itself."""
    folder = os.path.join(work, "libraries")
    os.makedirs(folder)
    with open(os.path.join(folder, "libEGL.so.1"), "w") as out:
        out.write("no library\n")
    os.environ["LD_LIBRARY_PATH"] = folder
    missing = "OpenGL ES 3 is not here (no libEGL.so.1): install libegl1 libgles2 libegl-mesa0 " \
              "libgl1-mesa-dri"
    pictures = make.traces()["pictures.aerogputrace"]
    rc, out, err = run(pictures, "--backend", "gles")
    check("no OpenGL ES", rc == 2 and not out and missing in err, (rc, out, err))
    rc, out, err = run(pictures, "--json")
    check("no OpenGL ES, but our own", rc == 0 and missing in err and
          [f["backend"] for f in json.loads(out)["frames"]] == ["software"] * 2, (rc, out, err))
    rc, out, err = run(hanging(LOOPS))
    check("no OpenGL ES for such a shader", rc == 2 and missing in err and
          "CREATE_PIPELINE" in err, (rc, out, err))
    del os.environ["LD_LIBRARY_PATH"]


def main():
    if absent():
        return 77
    for row in REFUSED:
        judge_refusal(*row)
    judge_odd()
    judge_hang()
    judge_crash()
    judge_processes()
    judge_filter()
    judge_absent()
    return close()


if __name__ == "__main__":
    sys.exit(main())
