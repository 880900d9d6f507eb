#!/usr/bin/env python3
"""blocks.py - a thousand random blocks of every compressed format, texel by texel beside the slow
reference: all modes and partitions of BC7, which a scene has no room for.

blocks.py RASTRUM
"""
import os
import random
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
import acmd  # noqa: E402
from acmd import STREAM, command, dxbc, f32, layout_blob, pad4, u32, u64  # noqa: E402
from packets import (RASTRUM, begin, blob, check, close, present, read_png, run,  # noqa: E402
                     trace, work)
from parts import PASS_ON, POSITION, PS_OUT, SAMPLE, TEXCOORD, TEX_IN, TEX_OUT  # noqa: E402
from slow import BLOCKS, block_texel  # noqa: E402

ACROSS, DOWN = 32, 34  # blocks


def texture(handle, form, backing=0):
    shape = (4 * ACROSS, 4 * DOWN, 1, 1, 0, backing, 0)
    return command(0x101, u32(handle, 0, form, *shape) + u64(0))


def upload(handle, data):
    return command(0x104, u32(handle, 0) + u64(0, len(data)) + pad4(data))


def shader(handle, vertex, *program):
    body = dxbc(vertex, *program)
    return command(0x200, u32(handle, 0 if vertex else 1, len(body), 0) + pad4(body))


def picture(form, data):
    """Every texel of it on the pixel of its own."""
    corners = f32(-1, 1, 0, 1, 0, 0, 3, 1, 0, 1, 2, 0, -1, -3, 0, 1, 0, 2)
    layout = layout_blob([(POSITION, 0, 2, 0, 0, 0, 0), (TEXCOORD, 0, 16, 0, 16, 0, 0)])
    return acmd.stream(
        texture(1, 3), command(0x400, u32(1, 0, 1, *[0] * 7)), texture(2, form), upload(2, data),
        command(0x100, u32(3, 0) + u64(len(corners)) + u32(0, 0) + u64(0)), upload(3, corners),
        command(0x500, u32(0, 1, 3, 24, 0, 0)), command(0x510, u32(1, 0, 2, 0)),
        command(0x520, u32(4, 0, 0, 0, 0)), command(0x522, u32(1, 0, 1, 0, 4)),
        shader(10, True, TEX_IN, TEX_OUT, PASS_ON),
        shader(11, False, [(TEXCOORD, 0, 1, 3)], PS_OUT, SAMPLE),
        command(0x202, u32(10, 11, 0, 0)),
        command(0x204, u32(20, len(layout), 0) + pad4(layout)), command(0x206, u32(20, 0)),
        command(0x601, u32(3, 1, 0, 0)), command(0x700, u32(0, 0)))


def blocks_of(form):
    """Of BC7 every mode with every partition, and the one that is reserved."""
    r = random.Random(form)
    blocks = [r.getrandbits(8 * BLOCKS[form]) for _ in range(ACROSS * DOWN)]
    if form == 70:
        for i in range(8 * 128):
            mode, partition = i % 8, i // 16
            kept = blocks[i] >> (mode + 7) << (mode + 7)
            blocks[i] = kept | partition << (mode + 1) | 1 << mode
        blocks[-1] &= ~255
    return [b.to_bytes(BLOCKS[form], "little") for b in blocks]


def judge(form):
    blocks = blocks_of(form)
    stream = picture(form, b"".join(blocks))
    data = trace(begin(0), blob(1, STREAM, stream), acmd.submission(1, 0, []), present(0),
                 version=2, abi=0x10004)
    folder = os.path.join(work, str(form))
    rc, out, err = run(data, "--png", folder)
    if rc:
        check("format %d" % form, False, (rc, out, err))
        return
    width, _, pixels = read_png(os.path.join(folder, "frame_0.png"))
    for n, block in enumerate(blocks):
        left, top = n % ACROSS * 4, n // ACROSS * 4
        for i in range(16):
            at = 4 * ((top + i // 4) * width + left + i % 4)
            wanted, got = block_texel(form, block, i), tuple(pixels[at:at + 4])
            if tuple(wanted) != got:
                check("format %d" % form, False, "texel %d of %s is %r, not %r"
                      % (i, block.hex(), got, wanted))
                return
    check("format %d" % form, True)
    judge_file(form, data, ("--texture", "2"), pixels)
    judge_memory(form, b"".join(blocks), pixels)


def judge_file(form, data, words, pixels):
    """The texture itself as a PNG file: the texels that were drawn above."""
    path, png = os.path.join(work, "t.aerogputrace"), os.path.join(work, "texture.png")
    with open(path, "wb") as out:
        out.write(data)
    done = subprocess.run([RASTRUM, "blob", path, *words, "-o", png, "--force"],
                          capture_output=True, timeout=300)
    same = done.returncode == 0 and read_png(png) == (4 * ACROSS, 4 * DOWN, bytes(pixels))
    check("format %d by %s" % (form, words), same, done)


def judge_memory(form, texels, pixels):
    """A texture that lies in memory of the guest is found by its blob."""
    stream = acmd.stream(texture(1, 3), command(0x400, u32(1, 0, 1, *[0] * 7)),
                         texture(2, form, 4), command(0x700, u32(0, 0)))
    data = trace(begin(0), blob(1, STREAM, stream), blob(2, acmd.MEMORY, texels),
                 acmd.submission(1, 0, [(4, 0x1000, len(texels), 2)]), present(0),
                 version=2, abi=0x10004)
    judge_file(form, data, ("2", "--png"), pixels)


def five_bits(value):
    return value << 3 | value >> 2


def judge_color(form):
    """Formats without blocks: what each texel has to be, by the order and width of its bits."""
    count = 16 * ACROSS * DOWN
    size = 2 if form in (5, 6) else 4
    raw = random.Random(form).randbytes(size * count)
    wanted = bytearray()
    for i in range(count):
        word = int.from_bytes(raw[i * size:i * size + size], "little")
        if form == 5:
            green = word >> 5 & 63
            wanted += bytes((five_bits(word >> 11), green << 2 | green >> 4, five_bits(word & 31),
                             255))
        elif form == 6:
            wanted += bytes((five_bits(word >> 10 & 31), five_bits(word >> 5 & 31),
                             five_bits(word & 31), 255 * (word >> 15)))
        else:
            part = raw[4 * i:4 * i + 4]
            part = part[2::-1] + part[3:] if form in (1, 2) else part
            wanted += part[:3] + (b"\xff" if form in (2, 4) else part[3:])
    stream = acmd.stream(texture(1, 3), command(0x400, u32(1, 0, 1, *[0] * 7)), texture(2, form),
                         upload(2, raw), command(0x700, u32(0, 0)))
    data = trace(begin(0), blob(1, STREAM, stream), acmd.submission(1, 0, []), present(0),
                 version=2, abi=0x10004)
    judge_file(form, data, ("--texture", "2"), wanted)


def main():
    for form in (64, 66, 68, 70):
        judge(form)
    for form in (1, 2, 3, 4, 5, 6):
        judge_color(form)
    return close()


if __name__ == "__main__":
    sys.exit(main())
