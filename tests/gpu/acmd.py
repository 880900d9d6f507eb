"""acmd.py - ACMD streams and shaders of AeroGPU's dialect, from the specification."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../golden/aerogpu"))
from make import (MEMORY, STREAM, begin, blob, command, f32, i32, pad4,  # noqa: E402,F401
                  present, stream, submission, trace, u32, u64)

OPS = {"mov": (1, 1), "add": (2, 2), "mad": (4, 3), "mul": (5, 2), "dp3": (8, 2), "dp4": (9, 2),
       "ret": (0x3E, 0), "sample": (0x45, 1), "ld": (0x4C, 1)}
TYPES = {"r": 0, "v": 1, "o": 2, "s": 6, "t": 7, "c": 8}
OPERAND = re.compile(r"([rvostc])(\d+)(?:\[(\d+)\])?(?:\.([xyzw]+))?$")


class Operand:
    """"r0.xy", "c0[2].xxyy", "t0", or four numbers."""

    def __init__(self, text):
        self.values = None if isinstance(text, str) else tuple(text)
        if self.values is None:
            kind, number, index, letters = OPERAND.match(text).groups()
            self.kind, self.number = kind, int(number)
            self.index = None if index is None else int(index)
            self.letters = [("xyzw").index(c) for c in letters or "xyzw"]

    def swizzle(self):
        return (self.letters + [self.letters[-1]] * 4)[:4]


def target_token(o):
    mask = sum(1 << c for c in o.letters)
    return u32(2 | TYPES[o.kind] << 4 | mask << 12 | 1 << 20, o.number)


def source_token(o, integers):
    if o.values is not None:
        return u32(2 | 4 << 4 | 15 << 12) + (i32 if integers else f32)(*o.values)
    swizzle = sum(c << (2 * i) for i, c in enumerate(o.swizzle()))
    token = 2 | 1 << 2 | TYPES[o.kind] << 4 | swizzle << 12
    if o.kind == "c":
        return u32(token | 2 << 20, o.number, o.index)
    return u32(token | 1 << 20, o.number)


def slot_token(o):
    return u32(TYPES[o.kind] << 4 | 0xE4 << 12 | 1 << 20, o.number)


def code_of(lines, vertex):
    body = b""
    for line in lines + [("ret",)]:
        number, sources = OPS[line[0]]
        args = [Operand(a) for a in line[1:]]
        operands = target_token(args[0]) if args else b""
        for o in args[1:1 + sources]:
            operands += source_token(o, line[0] == "ld")
        for o in args[1 + sources:]:
            operands += slot_token(o)
        body += u32(number | (1 + len(operands) // 4) << 11) + operands
    return u32(0x10040 if vertex else 0x40, 2 + len(body) // 4) + body


def signature(rows):
    """rows: (name, index, register, mask)."""
    names, head = b"", b""
    for name, index, reg, mask in rows:
        head += u32(8 + 24 * len(rows) + len(names), index, 0, 0, reg) + bytes((mask, mask, 0, 0))
        names += name.encode() + b"\0"
    return u32(len(rows), 8) + head + names


def dxbc(vertex, inputs, outputs, lines):
    chunks = [(b"ISGN", signature(inputs)), (b"OSGN", signature(outputs)),
              (b"SHDR", code_of(lines, vertex))]
    at, offsets, body = 32 + 4 * len(chunks), [], b""
    for name, data in chunks:
        offsets.append(at + len(body))
        body += name + u32(len(data)) + data
    return b"DXBC" + bytes(16) + u32(1, at + len(body), len(chunks)) + u32(*offsets) + body


def semantic_hash(name):
    value = 0x811C9DC5
    for c in name.upper().encode():
        value = (value ^ c) * 0x01000193 & 0xFFFFFFFF
    return value


def layout_blob(elements):
    """elements: (name, index, dxgi, slot, offset, per instance, step rate)."""
    return b"ILAY" + u32(1, len(elements), 0) + b"".join(
        u32(semantic_hash(name), *more) for name, *more in elements)
