"""Print pairs of blobs: random MessagePack bytes and their items as text.

An item is a letter and its content: n, t, f, u5, i-5, g/d and the bits of a
float, s/b and hex, xTYPE:hex, aCOUNT, mCOUNT; items are separated by blanks.
"""
import random
import struct
import sys

try:
    import msgpack
except ImportError:
    sys.exit(77)

rng = random.Random(int(sys.argv[1]))


def blob(data):
    sys.stdout.buffer.write(struct.pack("<I", len(data)) + data)


def leaf():
    kind = rng.randrange(9)
    size = rng.choice([0, 1, 2, 4, 8, 16, 31, 32, 255, 256, 300, 65535, 65536, 70000])
    size = size if rng.randrange(40) == 0 else size % 40
    if kind == 0:
        return None
    if kind == 1:
        return rng.randrange(2) == 1
    if kind == 2:
        return rng.getrandbits(rng.choice([5, 7, 8, 9, 16, 17, 32, 33, 63, 64]))
    if kind == 3:
        return -1 - rng.getrandbits(rng.choice([4, 5, 6, 7, 8, 15, 16, 31, 32, 63]))
    if kind == 4:
        return struct.unpack("<d", rng.randbytes(8))[0]
    if kind == 5:
        return "".join(rng.choice("abc\u00e9\u20ac\U0001f600") for _ in range(size))
    if kind == 6:
        return rng.randbytes(size)
    if kind == 7:
        return msgpack.ExtType(rng.randrange(128), rng.randbytes(size))
    return rng.choice([0.0, -0.0, float("inf"), float("-inf"), 1.5])


def value(depth):
    kind = rng.randrange(5) if depth else 4
    count = rng.choice([0, 1, 3, 15, 16, 17]) if depth < 3 else rng.choice([1, 2, 7])
    if kind == 0:
        return [value(depth - 1) for _ in range(count)]
    if kind == 1:
        return {i * 997: value(depth - 1) for i in range(count)}
    return leaf()


def items(data, single):
    if data is None:
        return ["n"]
    if data is True or data is False:
        return ["t" if data else "f"]
    if isinstance(data, msgpack.ExtType):
        return ["x%d:%s" % (data.code, data.data.hex())]
    if isinstance(data, int):
        return ["%s%d" % ("u" if data >= 0 else "i", data)]
    if isinstance(data, float):
        return ["g%08x" % struct.unpack("<I", struct.pack("<f", data)) if single
                else "d%016x" % struct.unpack("<Q", struct.pack("<d", data))]
    if isinstance(data, str):
        return ["s" + data.encode().hex()]
    if isinstance(data, bytes):
        return ["b" + data.hex()]
    if isinstance(data, list):
        return ["a%d" % len(data)] + [text for each in data for text in items(each, single)]
    pairs = [text for each in data.items() for half in each for text in items(half, single)]
    return ["m%d" % len(data)] + pairs


for _ in range(300):
    single = rng.randrange(4) == 0
    data = value(rng.randrange(4))
    try:
        packed = msgpack.packb(data, use_single_float=single)
        text = " ".join(items(data, single))
    except OverflowError:  # beyond a 32-bit float
        continue
    blob(packed)
    blob(text.encode())
