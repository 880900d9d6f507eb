"""Print pairs of blobs: a zstd stream and what it holds."""
import random
import struct
import sys

try:
    import zstandard
except ImportError:
    sys.exit(77)

rng = random.Random(int(sys.argv[1]))


def blob(data):
    sys.stdout.buffer.write(struct.pack("<I", len(data)) + data)


def content():
    size = rng.choice([0, 1, 7, 300, 5000, 70000, 400000])
    kind = rng.randrange(4)
    if kind == 0:
        return rng.randbytes(size)
    if kind == 1:
        return bytes(size)
    return (b"%d," % rng.randrange(10**9)) * (size // 16) + rng.randbytes(size // 16)


def frame(data):
    packer = zstandard.ZstdCompressor(
        level=rng.choice([1, 3, 9, -1]),
        write_checksum=bool(rng.randrange(2)),
        write_content_size=bool(rng.randrange(2)),
    )
    if rng.randrange(2):
        packed = packer.compress(data)
    else:
        stream = packer.compressobj()
        packed = stream.compress(data[: len(data) // 3])
        packed += stream.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)
        packed += stream.compress(data[len(data) // 3 :]) + stream.flush()
    back = zstandard.ZstdDecompressor().decompressobj().decompress(packed)
    assert back == data
    return packed


for _ in range(60):
    packed = plain = b""
    for _ in range(rng.choice([1, 1, 2, 5])):
        if rng.randrange(4) == 0:
            extra = rng.randbytes(rng.choice([0, 1, 999]))
            packed += struct.pack("<II", 0x184D2A50 + rng.randrange(16), len(extra)) + extra
        data = content()
        packed += frame(data)
        plain += data
    blob(packed)
    blob(plain)
