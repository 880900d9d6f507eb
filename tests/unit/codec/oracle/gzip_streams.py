"""Print pairs of blobs: a gzip stream and what Python's gzip makes of it."""
import gzip
import io
import random
import struct
import sys
import zlib

rng = random.Random(int(sys.argv[1]))


def blob(data):
    sys.stdout.buffer.write(struct.pack("<I", len(data)) + data)


def content():
    kind = rng.randrange(5)
    size = rng.choice([0, 1, 7, 300, 5000, 70000, 300000])
    if kind == 0:
        return rng.randbytes(size)
    if kind == 1:
        return bytes(size)
    if kind == 2:
        return (b"%d," % rng.randrange(10**9)) * (size // 8)
    return bytes(rng.choice(b"abcde \n") for _ in range(size // 4))


def member(data):
    """A member with every header field at random."""
    flags = rng.randrange(32)
    head = b"\x1f\x8b\x08" + bytes([flags]) + rng.randbytes(4) + b"\x00\xff"
    if flags & 4:
        extra = rng.randbytes(rng.choice([0, 1, 40, 700]))
        head += struct.pack("<H", len(extra)) + extra
    if flags & 8:
        head += b"name.bin\0"
    if flags & 16:
        head += b"a comment\0"
    if flags & 2:
        head += struct.pack("<H", zlib.crc32(head) & 0xFFFF)
    strategy = rng.choice([zlib.Z_DEFAULT_STRATEGY, zlib.Z_HUFFMAN_ONLY, zlib.Z_FIXED])
    packer = zlib.compressobj(rng.randrange(10), zlib.DEFLATED, -15, 8, strategy)
    body = packer.compress(data[: len(data) // 2])
    if rng.randrange(2):
        body += packer.flush(rng.choice([zlib.Z_SYNC_FLUSH, zlib.Z_FULL_FLUSH]))
    body += packer.compress(data[len(data) // 2 :]) + packer.flush()
    return head + body + struct.pack("<II", zlib.crc32(data), len(data))


for _ in range(60):
    stream = b""
    for _ in range(rng.choice([1, 1, 2, 5])):
        stream += member(content())
        if rng.randrange(4) == 0:
            stream += bytes(rng.choice([1, 2, 3, 512]))
    blob(stream)
    blob(gzip.GzipFile(fileobj=io.BytesIO(stream)).read())
