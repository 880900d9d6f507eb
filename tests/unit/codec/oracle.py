"""Hold a codec against Python's standard library: oracle.py ORACLE-PROGRAM CODEC.

Prints the first few disagreements and fails; prints nothing when all agree.
"""
import hashlib
import json
import math
import os
import random
import shlex
import struct
import subprocess
import sys
import zlib
from fractions import Fraction

# What runs programs of another machine.
WRAPPER = shlex.split(os.environ.get("MESON_EXE_WRAPPER", ""))


def ask(program, codec, items):
    data = b"".join(struct.pack("<I", len(item)) + item for item in items)
    done = subprocess.run([*WRAPPER, program, codec], input=data, stdout=subprocess.PIPE,
                          check=True)
    lines = done.stdout.split(b"\n")
    assert lines.pop() == b"" and len(lines) == len(items), "lines for items"
    return lines


def floats(random_bits, fraction_bits, exponent_bits, count):
    """Bit patterns: all exponents with odd and even ends, short decimals, noise."""
    ones = (1 << fraction_bits) - 1
    for exponent in range(1 << exponent_bits):
        for fraction in (0, 1, 2, 3, ones >> 1, ones - 1, ones, random_bits(fraction_bits)):
            yield exponent << fraction_bits | fraction
    yield from range(2000)
    sign = 1 << fraction_bits + exponent_bits
    for _ in range(count):
        bits = random_bits(fraction_bits + exponent_bits + 1)
        yield bits
        # Few significant bits, of every size, are halfway cases more often.
        yield bits & sign | bits & ~(ones >> random.randrange(fraction_bits))


def hard_floats():
    """For every exponent: significands whose ends of interval lie nearest to decimals. With
    x = 2**(q+1) / 10**k, they are the m for which m * x is nearest to an integer."""
    for q in range(-1074, 972):
        k = math.floor(q * math.log10(2))
        top, bottom = 2 ** max(q + 1, 0) * 10 ** max(-k, 0), 2 ** max(-q - 1, 0) * 10 ** max(k, 0)
        below, m_below, above, m_above = top % bottom, 1, bottom, 0
        while below and below != above and m_below + m_above <= 2**54:
            if below > above:
                below, m_below = below - above, m_below + m_above
            else:
                above, m_above = above - below, m_above + m_below
            for m in (m_below - 1, m_below, m_below + 1, m_above, m_above + 1):
                if 2**53 <= m < 2**54 or q == -1074:
                    yield math.ldexp(m // 2, q)


def f64_items():
    for value in hard_floats():
        yield struct.pack("<d", value)
    for bits in floats(random.getrandbits, 52, 11, 150000):
        yield struct.pack("<Q", bits)
    for _ in range(100000):
        digits = random.randrange(10 ** random.randrange(1, 18))
        yield struct.pack("<d", float("%de%d" % (digits, random.randrange(-345, 310))))
        yield struct.pack("<d", float(random.randrange(-2**random.randrange(1, 64), 2**63)))
        yield struct.pack("<d", round(random.uniform(-1000, 1000), random.randrange(6)))
    for e in range(-324, 309):
        value = float("1e%d" % e)
        for near in (math.nextafter(value, 0), value, math.nextafter(value, math.inf)):
            yield struct.pack("<d", near)


def f64_expect(item):
    return repr(struct.unpack("<d", item)[0]).encode()


def real_items():
    """Shortest texts, halfway cases and their neighbours, many digits, far exponents."""
    for item in f64_items():
        value = struct.unpack("<d", item)[0]
        if math.isfinite(value) and random.random() < 0.3:
            yield repr(value).encode()
    for _ in range(30000):
        value = random.uniform(-1, 1) * 10 ** random.uniform(-8, 8)
        yield repr(struct.unpack("<f", struct.pack("<f", value))[0]).encode()
        m, e = random.getrandbits(53) | 1 << 52, random.randrange(-60, 60)
        half = Fraction(2 * m + 1) * Fraction(2) ** (e - 1)
        for near in (half, half * (1 - Fraction(1, 10**19)), half * (1 + Fraction(1, 10**19))):
            digits = random.randrange(17, 24)
            yield ("%d" % near if near.denominator == 1 and near < 10**30 else
                   "%.*e" % (digits, near.numerator / near.denominator)).encode()
        yield b"%de%d" % (random.randrange(10**19), random.randrange(-360, 330))
        yield b"%d.%0*d" % (random.randrange(1000), random.randrange(1, 30), random.getrandbits(60))
        yield b"-%d" % random.getrandbits(random.randrange(1, 80))
    yield from (b"0", b"-0", b"0.0", b"-0.0", b"0e5", b"1e400", b"-1e309", b"5e-324", b"2e-324",
                b"9007199254740993", b"9007199254740992.5", b"1.7976931348623158e308", b"1e22",
                b"1e23", b"0." + b"0" * 400 + b"1", b"1" + b"0" * 400 + b"e-400")


def real_expect(item):
    value = float(item)
    if math.isinf(value):
        return b"beyond"
    return b"0x%016x" % struct.unpack("<Q", struct.pack("<d", value))


def noise(count):
    """Bytes between right and wrong UTF-8, of all lengths that matter."""
    edges = bytes.fromhex("00 1f 20 22 5c 7f 80 8f 90 9f a0 bf c0 c1 c2 df e0 ed ee ef f0 f4 f5 ff")
    yield from (bytes((a,)) for a in range(256))
    yield from (bytes((a, b)) for a in range(256) for b in range(0, 256, 3))
    yield from (bytes((a, b, c)) for a in edges for b in edges for c in edges)
    yield from (bytes((a, b, c, d)) for a in b"\xe0\xed\xf0\xf1\xf4" for b in edges for c in edges
                for d in edges)
    for _ in range(count):
        text = "".join(chr(random.choice((random.randrange(32, 127), random.randrange(0xD800),
                                          random.randrange(0xE000, 0x110000))))
                       for _ in range(random.randrange(40))).encode()
        yield text
        yield text[: random.randrange(len(text) + 1)]
        if text:
            at = random.randrange(len(text))
            yield text[:at] + bytes((random.choice(edges),)) + text[at + random.randrange(2) :]
        yield bytes(random.randrange(32, 127) for _ in range(random.randrange(64)))
        yield bytes(random.choice(edges) for _ in range(random.randrange(20)))


def utf8_expect(item):
    try:
        item.decode("utf-8")
        return b"%d" % len(item)
    except UnicodeDecodeError as error:
        length = 0 if error.reason == "unexpected end of data" else error.end - error.start
        return b"%d %d %d" % (error.start, error.start, length)


def is_escaped(c):
    """Bytes that are not UTF-8, and what would control a terminal."""
    return ("\ud800" <= c <= "\udfff" or "\x7f" <= c <= "\x9f" or
            c in "\u061c\u200e\u200f" or "\u202a" <= c <= "\u202e" or "\u2066" <= c <= "\u2069")


def json_expect(item):
    text = json.dumps(item.decode("utf-8", "surrogateescape"), ensure_ascii=False)
    return "".join("\\u%04x" % ord(c) if is_escaped(c) else c for c in text).encode()


def json_back(item, line):
    return json.loads(line).encode("utf-8", "surrogateescape") == item


def blake2b_items():
    for length in list(range(1200)) + [4095, 4096, 4097, 100000]:
        yield bytes((random.randrange(1, 65),)) + random.randbytes(length)


def blake2b_expect(item):
    digest = hashlib.blake2b(item[1:], digest_size=item[0]).hexdigest()
    eight = hashlib.blake2b(item[1:], digest_size=8).digest()
    return b'"%s" %d' % (digest.encode(), int.from_bytes(eight, "little"))


def crc32_items():
    return (random.randbytes(length) for length in range(3000))


def fnv1a_expect(item):
    value = 0xCBF29CE484222325
    for byte in item:
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return b"%d" % value


def leb128_items():
    """Long runs of high bits, cut short, and a few stray bytes."""
    for _ in range(20000):
        item = b""
        for _ in range(random.randrange(1, 4)):
            item += bytes(random.randrange(128, 256) for _ in range(random.randrange(12)))
            item += bytes((random.choice((0, 1, 2, 127, random.randrange(128))),))
        yield item[: random.randrange(len(item) + 1)]


def leb128_expect(item):
    said, at = b"", 0
    while at < len(item):
        end = next((i for i in range(at, len(item)) if item[i] < 128), None)
        value = sum((byte & 127) << 7 * i for i, byte in enumerate(item[at : (end or at) + 1]))
        if (end is None and len(item) - at >= 10) or (
                end is not None and (end - at >= 10 or value >= 2**64)):
            return said + b"0@%d bad" % at
        if end is None:
            return said + b"0@%d cut" % at
        at = end + 1
        said += b"%d@%d " % (value, at)
    return said + b"end"


def sha256_items():
    return (random.randbytes(length) for length in list(range(400)) + [4095, 4096, 100000])


CODECS = {
    "real": (real_items, real_expect, lambda item, line: True),
    "sha256": (sha256_items, lambda item: b'"%s"' % hashlib.sha256(item).hexdigest().encode(),
               lambda item, line: True),
    "blake2b": (blake2b_items, blake2b_expect, lambda item, line: True),
    "crc32": (crc32_items, lambda item: b"%d" % zlib.crc32(item), lambda item, line: True),
    "fnv1a": (lambda: noise(200), fnv1a_expect, lambda item, line: True),
    "leb128": (leb128_items, leb128_expect, lambda item, line: True),
    "f64": (f64_items, f64_expect, lambda item, line: True),
    "utf8": (lambda: noise(20000), utf8_expect, lambda item, line: True),
    "json": (lambda: noise(20000), json_expect, json_back),
    "hex": (lambda: noise(2000), lambda item: b'"%s"' % item.hex().encode(),
            lambda item, line: True),
}


def main(program, codec):
    random.seed(codec)
    make, expect, holds = CODECS[codec]
    items = list(make())
    wrong = 0
    for item, line in zip(items, ask(program, codec, items)):
        if line != expect(item) or not holds(item, line):
            wrong += 1
            if wrong <= 10:
                print("%s: %s: got %r, want %r" % (codec, item.hex(), line, expect(item)))
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
