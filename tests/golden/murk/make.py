#!/usr/bin/env python3
"""make.py - the golden replays, from the specification: make.py DIRECTORY"""
import os
import struct
import sys
import zlib

U8, U32, U64 = "<B", "<I", "<Q"


def u8(v):
    return struct.pack(U8, v)


def u32(v):
    return struct.pack(U32, v)


def u64(v):
    return struct.pack(U64, v)


def lp(data):
    data = data.encode() if isinstance(data, str) else data
    return u32(len(data)) + data


def header(seed=7, config_hash=0x0123456789ABCDEF, descriptor=b"grid 4x4", version=3, fields=2,
           cells=16):
    return (b"MURK" + u8(version) + lp("1.78.0") + lp("x86_64-unknown-linux-gnu") + lp("0.1.9")
            + lp("release") + u64(seed) + u64(config_hash) + u32(fields) + u64(cells)
            + lp(descriptor))


def coord(*components):
    return u32(len(components)) + b"".join(struct.pack("<i", c) for c in components)


def move(entity, *at):
    return 0, u64(entity) + coord(*at)


def spawn(at, *values):
    return 1, coord(*at) + u32(len(values)) + b"".join(u32(f) + u32(bits) for f, bits in values)


def despawn(entity):
    return 2, u64(entity)


def set_field(at, field, bits):
    return 3, coord(*at) + u32(field) + u32(bits)


def custom(type_id, data):
    return 4, u32(type_id) + lp(data)


def set_parameter(key, bits):
    return 5, u32(key) + u64(bits)


def batch(*params):
    return 6, u32(len(params)) + b"".join(u32(k) + u64(bits) for k, bits in params)


def optional(value):
    return u8(0) if value is None else u8(1) + u64(value)


def command(payload, priority=1, source_id=None, source_seq=None, expires=2**64 - 1, arrival=0):
    tag, data = payload
    return (u8(tag) + lp(data) + u8(priority) + optional(source_id) + optional(source_seq)
            + u64(expires) + u64(arrival))


def frame(tick, *commands, hash_=None):
    snapshot = 0x1111111111111111 * (tick % 16) if hash_ is None else hash_
    return u64(tick) + u32(len(commands)) + b"".join(commands) + u64(snapshot)


ONE, TWO_AND_A_HALF = 0x3F800000, 0x40200000
F64_TENTH, F64_MINUS_HALF = 0x3FB999999999999A, 0xBFE0000000000000
ALL = (
    command(move(7, 3, -4), 0, 0, 10, 100, 0),
    command(spawn((1, 2), (0, ONE), (1, TWO_AND_A_HALF)), 1, None, None, 101, 1),
    command(despawn(0x0102030405060708), 2, 2, None, 102, 2),
    command(set_field((5, 6), 1, ONE), 3, 3, 13, 103, 3),
    command(custom(43981, b"\x00\x01\x02\xff"), 4, 4, 14, 104, 4),
    command(set_parameter(9, F64_TENTH), 5, 5, 15, 105, 5),
    command(batch((1, F64_TENTH), (2, F64_MINUS_HALF)), 6, 6, 16, 106, 6),
)
GOOD = header() + frame(1) + frame(2, *ALL) + frame(3, command(despawn(1)))
SMALL = header() + frame(1) + frame(2, command(move(1, 2, 3)))
F32_SPECIALS = (0x00000000, 0x80000000, 0x7F800000, 0xFF800000, 0x7FC00000, 0x7F800001, 0xFFC12345,
                0x00000001, 0x7F7FFFFF)
F64_SPECIALS = (0x8000000000000000, 0x7FF0000000000000, 0x7FF8000000000000, 0x7FF0000000000001,
                0x0000000000000001, 0x7FEFFFFFFFFFFFFF)


def fnv(data, state=0xCBF29CE484222325):
    for byte in data:
        state = (state ^ byte) * 0x100000001B3 % 2**64
    return state


def world(descriptor, ticks, wrong=None):
    """A recording that can be executed: each tick its commands, and what its fields are then."""
    dt, fields = 0x3FF0000000000000, len(ticks[0][1])
    cells = len(ticks[0][1][0])
    hashes = [fnv(b"".join(u32(f) + b"".join(u32(v) for v in values)
                           for f, values in enumerate(after))) for _, after in ticks]
    frames = [frame(i + 1, *commands, hash_=hashes[i] ^ (i == wrong))
              for i, (commands, _) in enumerate(ticks)]
    config = fnv(u64(7) + u64(dt) + u32(fields) + u64(cells) + descriptor)
    return header(7, config, descriptor, fields=fields, cells=cells) + b"".join(frames)


# What is set stays in a sparse field; the other is always 1.
RECIPE = b"murkworld 1 murk-0.1.9\nspace line1d 4 absorb\ndt 3ff0000000000000\n" \
    b"field kept sparse 1\nfield one pertick 1\nprop const 1 3f800000\n"
ONES = (ONE,) * 4
WORLD = (
    ((), ((0, 0, 0, 0), ONES)),
    ((command(set_field((2,), 0, ONE)), command(set_field((9,), 0, ONE)),
      command(despawn(1)), command(set_field((1,), 0, ONE), expires=1)), ((0, 0, ONE, 0), ONES)),
    ((command(set_field((0,), 0, ONE), 2, 5, 1), command(set_field((0,), 0, TWO_AND_A_HALF), 1)),
     ((ONE, 0, ONE, 0), ONES)),
    ((), ((ONE, 0, ONE, 0), ONES)),
)
# The second tick and all that follow fail: nothing of them is left.
FAILING = RECIPE.replace(b"const 1 3f800000", b"fail 1 1")
FAILED = tuple((commands, ((0,) * 4, (0,) * 4)) for commands, _ in WORLD) + (((), ((0,) * 4,) * 2),)


def life(alive, ticks, size=6):
    """Conway's rule on a torus; the first tick is told which cells live (examples/world_life.c)."""
    told = tuple(command(set_field(cell, 0, ONE)) for cell in sorted(alive))
    for tick in range(ticks):
        near = [((r + dr) % size, (c + dc) % size) for r, c in alive for dr in (-1, 0, 1)
                for dc in (-1, 0, 1) if dr or dc]
        alive = {cell for cell in near if near.count(cell) == 3 or
                 (near.count(cell) == 2 and cell in alive)}
        yield told if not tick else (), (tuple(
            ONE if (r, c) in alive else 0 for r in range(size) for c in range(size)),)


GLIDER = {(0, 1), (1, 2), (2, 0), (2, 1), (2, 2)}


def gzip_stored(data):
    """A gzip member with one stored block: the same bytes whatever zlib is there."""
    block = u8(1) + struct.pack("<HH", len(data), len(data) ^ 0xFFFF) + data
    return b"\x1f\x8b\x08\0\0\0\0\0\0\xff" + block + u32(zlib.crc32(data)) + u32(len(data))


def zstd_raw(data, stated):
    """A zstd frame of one raw block (RFC 8878, 3.1.1); `stated` is its content size."""
    block = struct.pack("<I", len(data) << 3 | 1)[:3] + data
    return b"\x28\xb5\x2f\xfd\x40\x00" + struct.pack("<H", stated - 256) + block


def long_run(frames):
    """Many frames of the same shape: what reading costs in steady state."""
    return header() + b"".join(
        frame(tick,
              command(set_field((tick % 8, 1), 0, ONE + tick), 1, tick % 3, tick, arrival=tick),
              command(set_parameter(tick % 5, F64_TENTH + tick)))
        for tick in range(1, frames + 1))


TRACES = {
    "big-steady": long_run(100),
    "all_payloads": GOOD,
    "no_frames": header(),
    "config_unset": header(config_hash=0, descriptor=b"") + frame(1),
    "presence": header() + frame(1, *(command(despawn(1), 1, i, s) for i in (None, 0, 2**64 - 1)
                                      for s in (None, 0, 2**64 - 1))),
    "floats": header() + frame(
        1, command(spawn((), *((i, bits) for i, bits in enumerate(F32_SPECIALS)))),
        command(batch(*((i, bits) for i, bits in enumerate(F64_SPECIALS))))),
    "empty_lists": header() + frame(1, command(move(1)), command(spawn(())), command(batch()),
                                    command(custom(0, b""))),
    "trailing": header() + frame(1, command((2, u64(5) + b"abc"))),
    "unknown_tag": header() + frame(1, command((7, b"??")), command(despawn(2))),
    "short_payload": header() + frame(1, command((0, u64(1))), command((1, coord(1))),
                                      command((6, u32(0xFFFFFFFF)))),
    "huge_coord": header() + frame(1, command((0, u64(1) + u32(0x40000000)))),
    "ticks_odd": header() + frame(5) + frame(5) + frame(3) + frame(9),
    "zero_tail": SMALL + bytes(40),
    "zero_tail_cut": SMALL + bytes(33),
    "second_header": SMALL + SMALL,
    "lints": header() + frame(9, command(despawn(1), 1, None, 4, 8, 5),
                              command(despawn(2), 1, 1, 1, 100, 4)),
    "cut_tick": SMALL + b"\x03\0\0",
    "cut_frame": SMALL[:-9],
    "cut_hash": SMALL[:-1],
    "bad_flag": SMALL + frame(3, command(despawn(1))[:14] + u8(2) + bytes(24)),
    "many_commands": SMALL + u64(3) + u32(1000001),
    "long_payload": SMALL + u64(3) + u32(1) + u8(0) + u32(67108865),
    "header_cut": SMALL[:40],
    "header_utf8": header()[:9] + b"\xff" + header()[10:],
    "header_long_string": header()[:5] + u32(1048577),
    "version_1": header(version=1) + frame(1),
    "version_2": header(version=2) + frame(1),
    "version_9": header(version=9) + frame(1),
    "world": world(RECIPE, WORLD),
    "world_differs": world(RECIPE, WORLD, wrong=2),
    "world_fails": world(FAILING, FAILED),
    "world_unknown": world(RECIPE.replace(b"murk-0.1.9", b"murk-0.2.0"), WORLD[:1]),
    "world_hostile": world(RECIPE.replace(b"line1d 4", b"square4 2147483647 2147483647"),
                           WORLD[:1]),
    "life": world(b"life 6 6\n", tuple(life(GLIDER, 6))),
    "wrapped": gzip_stored(GOOD),
    "wrapped_cut": gzip_stored(SMALL)[:-60],
    "wrapped_twice": gzip_stored(SMALL) + gzip_stored(frame(3)),
    "wrapped_trailing": gzip_stored(SMALL) + b"rubbish",
    "wrapped_zstd": zstd_raw(GOOD, len(GOOD)),
    "wrapped_size_small": zstd_raw(GOOD, len(GOOD) - 100),
    "wrapped_size_large": zstd_raw(GOOD, len(GOOD) + 1),
}

if __name__ == "__main__":
    for name, data in TRACES.items():
        with open(os.path.join(sys.argv[1], name + ".murk"), "wb") as f:
            f.write(data)
