#!/usr/bin/env python3
"""make.py - the golden GPU traces, from the specification: make.py DIRECTORY"""
import json
import os
import struct
import sys

ABI = 0x00010004
BEGIN, PRESENT, PACKET, BLOB, SUBMISSION = 1, 2, 3, 4, 5
BUFFER, TEXTURE, DXBC, WGSL, GLSL = 1, 2, 3, 4, 5
STREAM, TABLE, MEMORY = 0x100, 0x101, 0x102


def u32(*values):
    return struct.pack("<%dI" % len(values), *values)


def i32(*values):
    return struct.pack("<%di" % len(values), *values)


def u64(*values):
    return struct.pack("<%dQ" % len(values), *values)


def f32(*values):
    return struct.pack("<%df" % len(values), *values)


def pad4(data):
    return data + b"\0" * (-len(data) % 4)


def meta_of(abi):
    return json.dumps({"emulator_version": "1.0", "command_abi_version": abi},
                      separators=(",", ":")).encode()


def header(version, abi, meta, flags=0, reserved=0, meta_len=None, header_size=32):
    return b"AEROGPUT" + u32(header_size, version, abi, flags,
                             len(meta) if meta_len is None else meta_len, reserved) + meta


def record(kind, payload, flags=0, reserved=0, payload_len=None):
    return struct.pack("<BBHI", kind, flags, reserved,
                       len(payload) if payload_len is None else payload_len) + payload


def begin(index):
    return record(BEGIN, u32(index))


def present(index):
    return record(PRESENT, u32(index))


def blob(blob_id, kind, data, reserved=0):
    return record(BLOB, u64(blob_id) + u32(kind, reserved) + data)


def packet(opcode, *dwords):
    return record(PACKET, u32(opcode, 2 + len(dwords), *dwords))


def submission(cmd, table=0, ranges=(), version=1, header_size=56, reserved=0, trailing=b""):
    return record(SUBMISSION, u32(version, header_size, 1, 7, 0, reserved) + u64(5, cmd, table)
                  + u32(len(ranges), reserved) + b"\0" * (header_size - 56)
                  + b"".join(u32(a, 0) + u64(gpa, size, b) for a, gpa, size, b in ranges)
                  + trailing)


def command(opcode, payload=b"", size=None):
    return u32(opcode, 8 + len(payload) if size is None else size) + payload


def stream(*commands, abi=ABI, flags=0, size=None):
    body = b"".join(commands)
    return b"ACMD" + u32(abi, 24 + len(body) if size is None else size, flags, flags, flags) + body


def table(*entries, stride=32, count=None, size=None, reserved=0):
    body = b"".join((u32(i, f) + u64(gpa, n, reserved)).ljust(stride, b"\xee")
                    for i, f, gpa, n in entries)
    return b"ALOC" + u32(ABI, 24 + len(body) if size is None else size,
                         len(entries) if count is None else count, stride, reserved) + body


def toc(frames, version=1, magic=b"AEROTOC\0", flags=0):
    return magic + u32(version, len(frames)) + b"".join(
        u32(index, flags) + u64(start, shown, end) for index, start, shown, end in frames)


def footer(version, toc_offset, toc_len, size=32):
    return b"AEROGPUF" + u32(size, version) + u64(toc_offset, toc_len)


def frames_of(data, body):
    """The frame entries of a stream of records, as a writer would keep them."""
    frames, at, opened = [], body, None
    while at + 8 <= len(data):
        size, = struct.unpack_from("<I", data, at + 4)
        if data[at] == BEGIN:
            opened = [struct.unpack_from("<I", data, at + 8)[0], at, 0, 0]
            frames.append(opened)
        at += 8 + size
        if opened:
            opened[3] = at
        if opened and data[at - 8 - size] == PRESENT:
            opened[2], opened = at - 12, None
    return frames


def trace(*records, version=1, abi=1, meta=None, edit=None, seal=True, **more):
    """A whole trace; edit(frames) may change the TOC before it is written."""
    meta = meta_of(abi) if meta is None else meta
    data = header(version, abi, meta, **more) + b"".join(records)
    if not seal:
        return data
    frames = frames_of(data, 32 + len(meta))
    if edit:
        edit(frames)
    index = toc(frames)
    return data + index + footer(version, len(data), len(index))


GLSL_TEXT = b"#version 300 es\nvoid main() {}\n"
SETUP = (blob(1, BUFFER, f32(-1, -1, 3, -1, -1, 3)), blob(2, GLSL, GLSL_TEXT),
         blob(3, WGSL, "fn vs_main() {} // \u00e9\n".encode()), blob(4, DXBC, b"DXBCSTUB"),
         blob(5, TEXTURE, bytes(16)))
DRAWS = (packet(1, 1, 24, 0), packet(2, 1, 0, 24, 1, 0), packet(3, 1, 0, 2, 0, 3, 0, 4, 0),
         packet(4, 1, 1, 1), packet(5, 1), packet(6, 1, 8, 0, 0), packet(7, 64, 48),
         packet(8, 0, 0x3F000000, 0x3F800000, 0x7FC00001), packet(9, 3, 0), packet(10))
# Two frames that can be drawn, and look different turned over, shifted or without a viewport.
VERTEX_GLSL = (b"#version 300 es\nlayout(location=0) in vec2 p;\nlayout(location=1) in vec4 c;\n"
               b"out vec4 v;\nvoid main() {\n  v = c;\n  gl_Position = vec4(p, 0.0, 1.0);\n}\n")
FRAGMENT_GLSL = (b"#version 300 es\nprecision highp float;\nin vec4 v;\nout vec4 o;\n"
                 b"void main() {\n  o = v;\n}\n")
CORNERS = f32(-0.9375, 0.796875, 1, 0, 0, 1, 0.65625, 0.34375, 0, 1, 0, 1,
              -0.375, -0.90625, 0, 0, 1, 1, -1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 0, 1,
              -1, -0.46875, 0, 1, 1, 1)
PICTURES = (
    begin(0), blob(1, BUFFER, CORNERS), blob(2, GLSL, VERTEX_GLSL), blob(3, GLSL, FRAGMENT_GLSL),
    packet(1, 1, len(CORNERS), 0), packet(2, 1, 0, len(CORNERS), 1, 0),
    packet(3, 1, 0, 2, 0, 0, 0, 0, 0), packet(3, 2, 1, 3, 0, 0, 0, 0, 0), packet(4, 1, 1, 2),
    packet(5, 1), packet(6, 1, 24, 0, 8), packet(7, 0, 0),
    packet(8, *struct.unpack("<4I", f32(0.125, 0.25, 0.5, 1))), packet(9, 3, 0), packet(10),
    present(0), begin(1), packet(7, 40, 24), packet(9, 3, 3), packet(7, 20, 50), packet(9, 3, 0),
    packet(10), present(1))
CLEAR = command(0x600, u32(1) + f32(1, 0, 0, 1) + f32(1) + u32(0))
SHOW = command(0x700, u32(0, 1))
RED = stream(CLEAR, SHOW)

LAYOUT = u32(0x59414C49, 1, 1, 0) + u32(0x7808E88A, 0, 6, 0, 0, 0, 0)
COMMANDS = [
    command(0x000), command(0x001, pad4(b"frame 1")),
    command(0x100, u32(1, 1) + u64(24) + u32(0, 0) + u64(0)),
    command(0x101, u32(2, 0x18, 3, 64, 64, 1, 1, 256, 0, 0) + u64(0)),
    command(0x102, u32(1, 0)), command(0x103, u32(1, 0) + u64(0, 24)),
    command(0x104, u32(1, 0) + u64(4, 5) + pad4(b"bytes")),
    command(0x105, u32(2, 1) + u64(0, 4, 8) + u32(1, 0)),
    command(0x106, u32(*range(1, 13)) + u32(0, 0)),
    command(0x107, u32(5, 2, 70, 0, 1, 0, 1) + u64(0)), command(0x108, u32(5, 0)),
    command(0x200, u32(10, 0, 3, 0) + pad4(b"\xd0\xb0\xc0")), command(0x201, u32(10, 0)),
    command(0x202, u32(10, 11, 0, 12)), command(0x202, u32(10, 11, 0, 0, 12, 13, 14)),
    command(0x203, u32(0, 4, 1, 0) + f32(0.5, -0.0, float("nan"), float("-inf"))),
    command(0x204, u32(20, len(LAYOUT), 0) + LAYOUT),
    command(0x204, u32(21, 6, 0) + pad4(b"opaque")),
    command(0x205, u32(20, 0)), command(0x206, u32(0, 0)),
    command(0x207, u32(1, 0, 1, 0) + i32(-1, 0, 1, 2)),
    command(0x208, u32(1, 0, 1, 0) + u32(1, 1, 1, 1)),
]
STATE = [
    command(0x300, u32(1, 2, 3, 0) + bytes([15, 0, 0, 0]) + u32(1, 0, 0) + f32(0, 0, 0, 1)
            + u32(0xFFFFFFFF)),
    command(0x300, u32(1, 2, 3, 4) + bytes([7, 0, 0, 0])),
    command(0x301, u32(1, 1, 3, 0) + bytes([255, 255, 0, 0])),
    command(0x302, u32(0, 2, 0, 1) + i32(-3) + u32(1)),
    command(0x400, u32(2, 3, 1, 2, 0, 0, 0, 0, 0, 0)), command(0x401, f32(0, 0, 64, 64, 0, 1)),
    command(0x402, i32(-1, 0, 32, 32)),
    command(0x500, u32(0, 2) + u32(1, 24, 0, 0) + u32(2, 12, 4, 0)),
    command(0x501, u32(3, 1, 0, 0)), command(0x502, u32(34, 0)), command(0x510, u32(1, 0, 2, 0)),
    command(0x511, u32(1, 0, 5, 2)), command(0x512, u32(7, 1)), command(0x520, u32(4, 1, 1, 0, 2)),
    command(0x521, u32(4, 0)), command(0x522, u32(1, 0, 2, 0) + u32(4, 0)),
    command(0x523, u32(2, 0, 1, 3) + u32(9, 0, 256, 0)),
    command(0x524, u32(2, 0, 1, 0) + u32(7, 0, 0, 0)),
    command(0x525, u32(2, 0, 1, 9) + u32(8, 0, 16, 0xFFFFFFFF)),
    CLEAR, command(0x601, u32(3, 1, 0, 0)), command(0x602, u32(3, 1, 0) + i32(-1) + u32(0)),
    command(0x603, u32(1, 2, 3, 0)), SHOW, command(0x701, u32(0, 0, 0x12345678, 0)),
    command(0x710, u32(2, 0) + u64(0xABCDEF)), command(0x711, u32(6, 0) + u64(0xABCDEF)),
    command(0x712, u64(0xABCDEF, 0)), command(0x720, u32(0, 0)),
]


def break_entries(frames):
    frames[0][1] += 12  # a record, but no BeginFrame
    frames[1][2] = 0    # its Present is there
    frames[1][3] -= 5   # inside a record


def shuffle(frames):
    frames.reverse()


def drop_last(frames):
    frames.pop()


def drop_first(frames):
    frames.pop(0)


def at_offset(data, at, new):
    return data[:at] + new + data[at + len(new):]


def traces():
    two = (begin(0), *SETUP[:1], packet(1, 1, 24, 0), present(0), blob(6, BUFFER, b"between"),
           begin(1), packet(10), present(1))
    sub = (begin(0), blob(1, STREAM, RED), blob(2, TABLE, table((1, 1, 0x1000, 72))),
           blob(3, MEMORY, b"m" * 72), submission(1, 2, [(1, 0x1000, 72, 3)]), present(0))
    many = [part for i in range(20) for part in (
        begin(i), packet(9, 3 * i, i), record(PACKET, RED), blob(i + 1, STREAM, RED),
        submission(i + 1), present(i))]
    two_frames, submitted = trace(*two), trace(*sub, version=2, abi=ABI)
    body = 32 + len(meta_of(1))
    t = {
        "appendix_a": trace(begin(0), *SETUP, *DRAWS, present(0)),
        "two_frames": two_frames,
        "pictures": trace(*PICTURES),
        "stream_in_packet": trace(begin(0), record(PACKET, RED), present(0), abi=ABI),
        "submission": submitted,
        "empty": trace(),
        "unsealed": trace(*two, seal=False),
        "unsealed_toc": two_frames[:-32],
        "cut_footer": two_frames[:-5],
        "cut_toc": two_frames[:-60],
        "cut_toc_magic": two_frames[:-32 - 80 + 3],
        "cut_record": trace(*two, seal=False)[:-7],
        "cut_meta": two_frames[:40],
        "cut_header": two_frames[:20],
        "two_traces": two_frames + trace(begin(0), present(0)),
        "zero_tail": trace(*two, seal=False) + bytes(21),
        "zero_hole": trace(begin(0), bytes(24), packet(10), present(0), bytes(16)),
        "second_footer": two_frames + b"more",
        "footer_lies": two_frames[:-16] + u64(99, 80),
        "footer_magic": at_offset(two_frames, len(two_frames) - 32, b"AEROGPUX"),
        "footer_version": two_frames[:-20] + u32(2) + two_frames[-16:],
        "toc_wrong": trace(*two, edit=break_entries),
        "toc_reversed": trace(*two, edit=shuffle),
        "toc_short": trace(*two, edit=drop_last),
        "length_wrong": at_offset(two_frames, body + 12 + 4, u32(5000)),
        "unknown_record": trace(begin(0), record(0x41, b"what"), packet(10), present(0)),
        "stray_bytes": trace(begin(0), packet(10), present(0), b"\1\2\3"),
        "frames_odd": trace(present(7), packet(10), begin(3), begin(4), present(5), begin(6),
                            packet(10)),
        "frames_nested": trace(begin(0), begin(1), packet(10), present(1), edit=drop_first),
        "present_first": trace(present(0), begin(0), packet(10), present(0)),
        "marker_size": trace(record(BEGIN, b""), begin(0), record(PRESENT, u64(0)), present(0)),
        "v2_in_v1": trace(begin(0), blob(1, STREAM, RED), submission(1), present(0), abi=ABI),
        "version_3": trace(version=3),
        "header_size": trace(header_size=40),
        "reserved": trace(begin(0), record(PACKET, u32(10, 2), flags=1, reserved=2),
                          blob(1, BUFFER, b"", reserved=3), present(0), flags=4, reserved=5),
        "meta_bad": trace(begin(0), present(0), meta=b'{"emulator_version":1,}'),
        "meta_rich": trace(begin(0), present(0), meta=json.dumps(
            {"emulator_version": "2", "command_abi_version": 2, "notes": "caf\u00e9", "live": True,
             "ratio": 0.5, "shift": -3, "nothing": None, "list": [1]}).encode()),
        "packets_odd": trace(begin(0), record(PACKET, b""), record(PACKET, b"PACK"),
                             record(PACKET, u32(9, 9, 3, 0)), packet(99, 1), packet(9, 3),
                             packet(9, 3, 0, 7), present(0)),
        "blobs_odd": trace(begin(0), blob(0, BUFFER, b"a"), blob(1, BUFFER, b"bb"),
                           blob(1, GLSL, b"\xff\xfe"), blob(2, 0x77, b""), record(BLOB, b"short"),
                           packet(2, 1, 0, 24, 1, 0), packet(2, 1, 0, 24, 8, 0),
                           packet(2, 1, 0, 2, 9, 0), blob(9, BUFFER, b"cc"),
                           packet(3, 1, 0, 2, 0, 0, 0, 0, 0), present(0)),
        "submissions_odd": trace(
            begin(0), blob(1, STREAM, b""), blob(2, STREAM, b"ACMX" + RED[4:]),
            blob(3, STREAM, stream(SHOW, command(0x700, b"", 3))), submission(1), submission(2),
            submission(3, 1, [(1, 0, 4, 3), (1, 0, 4, 9)]), submission(0, header_size=60),
            submission(77, version=2, reserved=1, trailing=b"tail"),
            record(SUBMISSION, u32(1, 55) + bytes(48)), present(0), version=2, abi=ABI),
        "backing": trace(
            begin(0), blob(1, STREAM, stream(
                command(0x100, u32(1, 1) + u64(24) + u32(7, 0) + u64(0)),
                command(0x100, u32(2, 1) + u64(24) + u32(8, 0) + u64(0)),
                command(0x100, u32(3, 1) + u64(24) + u32(0, 0) + u64(0)))),
            blob(2, TABLE, table((9, 0, 0x2000, 24), (7, 0, 0x1000, 24))), submission(1, 2),
            submission(1), present(0), version=2, abi=ABI),
        "late_stream": trace(begin(0), blob(4, STREAM, RED), submission(4), blob(4, BUFFER, b"x"),
                             submission(4), submission(5), blob(5, STREAM, RED), present(0),
                             version=2, abi=ABI),
        "stream_broken": trace(begin(0),
                               record(PACKET, stream(CLEAR, SHOW, command(0x601, b"", 64))),
                               record(PACKET, stream(SHOW, flags=1) + b"more"),
                               record(PACKET, stream(abi=0x00020000)), present(0), abi=ABI),
        "big-steady": trace(*many, version=2, abi=ABI),
        "tables_odd": trace(
            begin(0), blob(1, TABLE, table((0, 0, 0, 1), (2, 0, 2**64 - 1, 2), (2, 0, 0, 0),
                                           reserved=1)),
            blob(2, TABLE, table((1, 0, 0, 1), count=9)), present(0), version=2, abi=ABI),
    }
    files = {name + ".aerogputrace": data for name, data in t.items()}
    files.update({
        "every_command.acmd": stream(*COMMANDS),
        "every_state.acmd": stream(*STATE),
        "stage_ex_ignored.acmd": stream(STATE[16], STATE[18], command(0x603, u32(1, 1, 1, 2)),
                                        abi=0x00010002),
        "commands_odd.acmd": stream(
            command(0xDEAD, b"what"), command(0x601, u32(3, 1)), command(0x601, u32(3, 1, 0, 0, 9)),
            command(0x104, u32(1, 0) + u64(0, 2**63) + b"four"), command(0x500, u32(0, 9) + u32(1)),
            command(0x102, u32(1, 2)), command(0x522, u32(7, 0, 0, 0)), flags=1) + b"tail",
        "stream_cut.acmd": stream(CLEAR, SHOW)[:-6],
        "stream_damaged.acmd": stream(CLEAR, command(0x700, b"", 6)),
        "stream_abi_2.acmd": stream(SHOW, abi=0x00020000),
        "table.aloc": table((1, 1, 0x1000, 72), (7, 0, 0xFFFFFFFF00000000, 4096), stride=40),
        "table_cut.aloc": table((1, 1, 0x1000, 72), (7, 0, 0, 1))[:-9],
        "table_count.aloc": table((1, 1, 0x1000, 72), count=2),
    })
    return files


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    for name, data in traces().items():
        with open(os.path.join(folder, name), "wb") as out:
            out.write(data)


if __name__ == "__main__":
    main()
