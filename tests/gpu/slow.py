"""slow.py - a slow reference of what AeroGPU commands draw: double precision, one pixel at a
time, straight from the formulas. It shares nothing with src/gpu.

A triangle is drawn by the inverse of the matrix of its corners in pixels, not divided by w:
for each pixel that gives its shares of the corners, perspective included, and no clipping is
needed. Near ties that could be rounded either way raise Tie: scenes are chosen to have none.
"""
import math

import slow_bc7


EDGE = 1 / 300  # of a pixel: what rounding positions to 1/256 may do


class Tie(Exception):
    pass


# format: bytes a texel, then (shift, bits) of R, G, B, A; sRGB
COLOR = {1: (4, ((16, 8), (8, 8), (0, 8), (24, 8)), False),
         2: (4, ((16, 8), (8, 8), (0, 8), None), False),
         3: (4, ((0, 8), (8, 8), (16, 8), (24, 8)), False),
         4: (4, ((0, 8), (8, 8), (16, 8), None), False),
         5: (2, ((11, 5), (5, 6), (0, 5), None), False),
         6: (2, ((10, 5), (5, 5), (0, 5), (15, 1)), False),
         7: (4, ((16, 8), (8, 8), (0, 8), (24, 8)), True),
         9: (4, ((0, 8), (8, 8), (16, 8), (24, 8)), True)}
BLOCKS = {64: 8, 65: 8, 66: 16, 67: 16, 68: 16, 69: 16, 70: 16, 71: 16}


def to_linear(c):
    return c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4


def to_srgb(c):
    return 12.92 * c if c <= 0.0031308 else 1.055 * c ** (1 / 2.4) - 0.055


def clamp(v, low=0.0, high=1.0):
    return min(max(v, low), high)


def nearest(value, most, slack):
    at = clamp(value) * most
    if slack and abs(at - math.floor(at) - 0.5) < slack:
        raise Tie("%r of %d" % (at, most))
    return int(math.floor(at + 0.5))


def widen(value, bits):
    return 255 * value if bits == 1 else value * 255 / 255 if bits == 8 else \
        value << (8 - bits) | value >> (2 * bits - 8)


class Image:
    """One level: texels as four bytes (colors) or numbers (depth, stencil)."""

    def __init__(self, form, width, height):
        self.form, self.width, self.height = form, width, height
        self.texels = [[(0, 0, 0, 255 if form in COLOR and COLOR[form][1][3] is None else 0)
                        for _ in range(width)] for _ in range(height)]
        self.depth = [[0.0] * width for _ in range(height)]
        self.stencil = [[0] * width for _ in range(height)]

    def encode(self, color, slack):
        """A color as it is stored, widened to bytes again."""
        _, channels, srgb = COLOR[self.form]
        out = []
        for c, channel in enumerate(channels):
            if channel is None:
                out.append(255)
                continue
            value = clamp(color[c])
            if srgb and c < 3:
                value = to_srgb(value)
            bits = channel[1]
            out.append(int(widen(nearest(value, (1 << bits) - 1, slack), bits)))
        return tuple(out)

    def decode(self, texel):
        srgb = COLOR.get(self.form, (0, 0, self.form in (65, 67, 69, 71)))[2]
        return [to_linear(t / 255) if srgb and c < 3 else t / 255 for c, t in enumerate(texel)]

    def load(self, data, pitch=None):
        if self.form in BLOCKS:
            return self.load_blocks(data)
        size, channels, _ = COLOR[self.form]
        pitch = pitch or size * self.width
        for y in range(self.height):
            for x in range(self.width):
                raw = int.from_bytes(data[y * pitch + x * size:y * pitch + (x + 1) * size],
                                     "little")
                self.texels[y][x] = tuple(
                    255 if c is None else int(widen(raw >> c[0] & ((1 << c[1]) - 1), c[1]))
                    for c in channels)
        return None

    def load_blocks(self, data):
        wide, size = (self.width + 3) // 4, BLOCKS[self.form]
        for y in range(self.height):
            for x in range(self.width):
                at = ((y // 4) * wide + x // 4) * size
                self.texels[y][x] = block_texel(self.form, data[at:at + size], x % 4 + 4 * (y % 4))


def five_six_five(c):
    return [widen(c >> 11, 5), widen(c >> 5 & 63, 6), widen(c & 31, 5)]


def block_color(block, i, three):
    first, second = block[0] | block[1] << 8, block[2] | block[3] << 8
    a, b = five_six_five(first), five_six_five(second)
    pick = int.from_bytes(block[4:8], "little") >> (2 * i) & 3
    if pick < 2:
        return (a, b)[pick] + [255]
    if first > second or not three:
        wa, wb = ((2, 1), (1, 2))[pick - 2]
        return [(p * wa + q * wb) // 3 for p, q in zip(a, b)] + [255]
    return [(p + q) // 2 for p, q in zip(a, b)] + [255] if pick == 2 else [0, 0, 0, 0]


def block_texel(form, block, i):
    if form in (70, 71):
        return slow_bc7.texel(block, i)
    if form in (64, 65):
        return tuple(block_color(block, i, True))
    color = block_color(block[8:], i, False)
    bits = int.from_bytes(block[:8], "little")
    if form in (66, 67):
        color[3] = (bits >> (4 * i) & 15) * 17
        return tuple(color)
    a, b = block[0], block[1]
    steps = [a, b] + ([((7 - k) * a + k * b) // 7 for k in range(1, 7)] if a > b else
                      [((5 - k) * a + k * b) // 5 for k in range(1, 5)] + [0, 255])
    color[3] = steps[bits >> (16 + 3 * i) & 7]
    return tuple(color)


# ---- textures ------------------------------------------------------------------------------

def fold(i, size, mode):
    if mode == 1:
        return i % size
    if mode == 2:
        i %= 2 * size
        return i if i < size else 2 * size - 1 - i
    return min(max(i, 0), size - 1)


def texel(image, x, y, modes):
    return image.decode(image.texels[fold(y, image.height, modes[1])]
                        [fold(x, image.width, modes[0])])


def mix(a, b, t):
    return [p + (q - p) * t for p, q in zip(a, b)]


def level_texel(image, u, v, linear, modes, slack):
    x, y = u * image.width, v * image.height
    if not linear:
        for at in (x, y):
            if slack and abs(at - round(at)) < slack:
                raise Tie("texel %r" % at)
        return texel(image, math.floor(x), math.floor(y), modes)
    x, y = x - 0.5, y - 0.5
    i, j = math.floor(x), math.floor(y)
    top = mix(texel(image, i, j, modes), texel(image, i + 1, j, modes), x - i)
    low = mix(texel(image, i, j + 1, modes), texel(image, i + 1, j + 1, modes), x - i)
    return mix(top, low, y - j)


def sample(texture, sampler, u, v, spread, slack):
    """spread: how far coordinates go from pixel to pixel, (du/dx, dv/dx, du/dy, dv/dy)."""
    mag, low, mip, modes = sampler
    w, h = texture[0].width, texture[0].height
    far = max(math.hypot(spread[0] * w, spread[1] * h), math.hypot(spread[2] * w, spread[3] * h))
    level = math.log2(far) if far else -20.0
    linear = low if level > 0 else mag
    level = clamp(level, 0, len(texture) - 1)
    if not mip:
        if slack and abs(level - math.floor(level) - 0.5) < 1e-3:
            raise Tie("level %r" % level)
        return level_texel(texture[math.floor(level + 0.5)], u, v, linear, modes, slack)
    first = math.floor(level)
    value = level_texel(texture[first], u, v, linear, modes, slack)
    if level > first:
        value = mix(value, level_texel(texture[first + 1], u, v, linear, modes, slack),
                    level - first)
    return value


# ---- shaders -------------------------------------------------------------------------------

class Shader:
    def __init__(self, inputs, outputs, lines):
        from acmd import Operand
        self.inputs, self.outputs = inputs, outputs
        self.lines = [(line[0], [Operand(a) for a in line[1:]]) for line in lines]

    def run(self, inputs, constants, look):
        """inputs: register to four numbers; look(t, s, u, v): a texel. Gives the outputs."""
        regs = {("v", n): list(v) for n, v in inputs.items()}

        def read(o):
            if o.values is not None:
                return list(o.values)
            four = constants[o.number][o.index] if o.kind == "c" else regs[o.kind, o.number]
            return [four[c] for c in o.swizzle()]

        for op, args in self.lines:
            a = [read(o) for o in args[1:] if o.values is not None or o.kind in "rvc"]
            if op == "mov":
                result = a[0]
            elif op == "add":
                result = [p + q for p, q in zip(*a)]
            elif op == "mul":
                result = [p * q for p, q in zip(*a)]
            elif op == "mad":
                result = [p * q + r for p, q, r in zip(*a)]
            elif op in ("dp3", "dp4"):
                result = [sum(p * q for p, q in list(zip(*a))[:int(op[2])])] * 4
            elif op == "sample":
                result = look(args[2].number, args[3].number, a[0][0], a[0][1])
            else:  # ld
                result = look(args[2].number, None, *(int(v) for v in a[0]))
            to = regs.setdefault((args[0].kind, args[0].number), [0.0] * 4)
            for c in args[0].letters:
                to[c] = result[c]
        return {n: v for (kind, n), v in regs.items() if kind == "o"}


# ---- triangles -----------------------------------------------------------------------------

def compare(func, new, old):
    return (False, new < old, new == old, new <= old, new > old, new != old, new >= old,
            True)[func]


def factor(number, src, dst, constant, channel):
    if number >= 100:  # as Direct3D 9 numbers them
        return {1: 0.0, 2: 1.0, 3: src[channel], 4: 1 - src[channel], 5: src[3], 6: 1 - src[3],
                7: dst[3], 8: 1 - dst[3], 9: dst[channel], 10: 1 - dst[channel],
                11: 1.0 if channel == 3 else min(src[3], 1 - dst[3]),
                14: constant[channel], 15: 1 - constant[channel]}[number - 100]
    return (0.0, 1.0, src[3], 1 - src[3], dst[3], 1 - dst[3], constant[channel],
            1 - constant[channel])[number]


def blend(state, src, dst):
    out = []
    src = [clamp(v) for v in src]
    for c in range(4):
        s, d, op = state["alpha"] if c == 3 else state["color"]
        a = src[c] * factor(s, src, dst, state["constant"], c)
        b = dst[c] * factor(d, src, dst, state["constant"], c)
        out.append((a + b, a - b, b - a, min(src[c], dst[c]), max(src[c], dst[c]))[op])
    return out


def shares(corners, view):
    """The inverse of the corners' matrix: rows (across, down, origin); and its volume."""
    x, y, w = [], [], []
    for p in corners:
        x.append(p[0] * view[2] / 2 + (view[0] + view[2] / 2) * p[3])
        y.append(-p[1] * view[3] / 2 + (view[1] + view[3] / 2) * p[3])
        w.append(p[3])
    rows = []
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        rows.append((y[j] * w[k] - y[k] * w[j], x[k] * w[j] - x[j] * w[k],
                     x[j] * y[k] - x[k] * y[j]))
    volume = sum(x[i] * rows[i][0] for i in range(3))
    return [[v / volume for v in row] for row in rows] if volume else None, volume


def inside(part, row, exact, slack):
    """Whether a pixel with this share of a corner is inside of the edge across from it."""
    if exact and part == 0:  # on a left or a top edge
        return row[0] > 0 or (row[0] == 0 and row[1] > 0)
    if slack and not exact and abs(part) < math.hypot(row[0], row[1]) * EDGE:
        raise Tie("edge")
    return part > 0
