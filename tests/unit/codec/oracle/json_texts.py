"""Print pairs of blobs: a text, and its tokens in the words of Python's json.

Tokens: n t f #INTEGER dBITS sHEX kHEX [ ] { }, separated by blanks; a string
with half of a surrogate pair is s! or k!; a text that is not JSON is "refused".
"""
import json
import random
import struct
import sys

rng = random.Random(int(sys.argv[1]))


def blob(data):
    sys.stdout.buffer.write(struct.pack("<I", len(data)) + data)


def white():
    return "".join(rng.choice(" \t\r\n") for _ in range(rng.choice([0, 0, 0, 1, 3])))


def string():
    out = []
    for _ in range(rng.choice([0, 1, 2, 7, 8, 9, 30])):
        kind = rng.randrange(7)
        if kind == 0:
            out.append("\\" + rng.choice('"\\/bfnrt'))
        elif kind == 1:
            out.append("\\u%04x" % rng.choice([0, 0x41, 0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xFFFF]))
        elif kind == 2:
            code = rng.randrange(0x100000)
            out.append("\\uD%03x\\uD%03X" % (0x800 | code >> 10, 0xC00 | code & 0x3FF))
        elif kind == 3:
            out.append(rng.choice("\u0080\u07ff\u0800\u20ac\uffff\U00010000\U0010ffff"))
        elif kind == 4 and rng.randrange(20) == 0:
            out.append("\\ud%03x" % rng.randrange(0x800, 0x1000))
        else:
            out.append(rng.choice("abcdef /{}[]:,\x7f") * rng.choice([1, 1, 9]))
    return '"' + "".join(out) + '"'


def number():
    kind = rng.randrange(6)
    if kind == 0:
        return str(rng.choice([0, 1, -1, 2**63 - 1, 2**63, -(2**63), 2**64 - 1, 2**64, 10**30]))
    if kind == 1:
        return str(rng.getrandbits(rng.randrange(1, 70)) * rng.choice([1, -1]))
    if kind == 2:
        return repr(struct.unpack("<d", struct.pack("<Q", rng.getrandbits(63) % (2047 << 52)))[0])
    if kind == 3:
        text = "%d.%d" % (rng.randrange(1000), rng.randrange(10**9))
        return text + rng.choice(["", "e%d" % rng.randrange(-330, 320), "E+%d" % rng.randrange(30)])
    if kind == 4:  # halfway between two doubles, and a hair beside it
        bits = rng.getrandbits(52) | rng.choice([1, 1000, 1023, 1100, 2000]) << 52
        low, high = (struct.unpack("<d", struct.pack("<Q", bits + i))[0] for i in range(2))
        exact = exact_text(low, high)
        return exact + rng.choice(["", "0" * 700, "0" * 900 + "1"])
    return rng.choice(["-0", "-0.0", "0e5", "1e400", "-1e400", "1e-400", "1e-9999999999999999999",
                       "0." + "0" * 400 + "1e401", "1" + "0" * 400 + "e-400", "5e-324", "2.5e-324",
                       "1.7976931348623158e308", "1.7976931348623159e308"])


def exact_text(low, high):
    """The middle of two neighbours as a plain decimal with a point."""
    import decimal
    with decimal.localcontext() as context:
        context.prec = 2000
        middle = (decimal.Decimal(low) + decimal.Decimal(high)) / 2
        text = format(middle, "f")
    return text if "." in text else text + ".0"


def value(depth):
    kind = rng.randrange(8 if depth else 6)
    if kind == 6:
        items = [value(depth - 1) for _ in range(rng.choice([0, 1, 2, 5]))]
        return "[" + white() + ",".join(white() + each + white() for each in items) + "]"
    if kind == 7:
        items = [(string(), value(depth - 1)) for _ in range(rng.choice([0, 1, 2, 5]))]
        pairs = (white() + k + white() + ":" + white() + v + white() for k, v in items)
        return "{" + white() + ",".join(pairs) + "}"
    return [string, number, number, lambda: "true", lambda: "false", lambda: "null"][kind]()


class Pairs(list):
    """An object with its keys in order, repeated ones too."""


def constant(word):
    raise ValueError(word)


def text_token(letter, text):
    try:
        return letter + text.encode().hex()
    except UnicodeEncodeError:
        return letter + "!"


def tokens(data):
    if data is None or data is True or data is False:
        return [{None: "n", True: "t", False: "f"}[data]]
    if isinstance(data, int):
        return ["#%d" % data]
    if isinstance(data, float):
        return ["d%016x" % struct.unpack("<Q", struct.pack("<d", data))]
    if isinstance(data, str):
        return [text_token("s", data)]
    if isinstance(data, Pairs):
        inner = [each for k, v in data for each in [text_token("k", k)] + tokens(v)]
        return ["{"] + inner + ["}"]
    return ["["] + [each for item in data for each in tokens(item)] + ["]"]


def judge(text):
    try:
        data = json.loads(text.decode(), parse_constant=constant, object_pairs_hook=Pairs)
    except ValueError:
        return b"refused"
    return " ".join(tokens(data)).encode()


def mutated(text):
    text = bytearray(text)
    for _ in range(rng.choice([1, 1, 2])):
        at = rng.randrange(len(text) + 1)
        kind = rng.randrange(4)
        if kind == 0:
            text[at:at] = rng.choice([b",", b"]", b"}", b'"', b"\\", b"0", b"-", b".", b"e",
                                      b"\xc3", b"[", b"{", b":", b"\x00", b"\n", b"NaN",
                                      b"\xef\xbb\xbf"])
        elif kind == 1:
            del text[at : at + 1]
        elif kind == 2:
            text[at : at + 1] = rng.randbytes(1)
        else:
            del text[at:]
    return bytes(text)


for _ in range(1200):
    text = (white() + value(rng.randrange(5)) + white()).encode()
    if rng.randrange(2):
        text = mutated(text)
    blob(text)
    blob(judge(text))
