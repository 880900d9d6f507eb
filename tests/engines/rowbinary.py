"""rowbinary.py - ClickHouse's RowBinary, written from its documentation: rows of typed values.

A type is its ClickHouse name: UInt8, Nullable(String), Array(Int64), LowCardinality(String), ...
"""
import re
import struct

FIXED = {"UInt8": "<B", "UInt16": "<H", "UInt32": "<I", "UInt64": "<Q", "Int8": "<b",
         "Int16": "<h", "Int32": "<i", "Int64": "<q", "Float32": "<f", "Float64": "<d",
         "Bool": "<?"}
WRAPPED = re.compile(r"^(Nullable|Array|LowCardinality)\((.*)\)$")


class Cut(Exception):
    """The data end inside a value."""


def put_length(number):
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def put(kind, value):
    if kind in FIXED:
        return struct.pack(FIXED[kind], value)
    if kind == "String":
        value = value.encode() if isinstance(value, str) else value
        return put_length(len(value)) + value
    outer, inner = WRAPPED.match(kind).groups()
    if outer == "LowCardinality":
        return put(inner, value)
    if outer == "Nullable":
        return b"\1" if value is None else b"\0" + put(inner, value)
    return put_length(len(value)) + b"".join(put(inner, item) for item in value)


class In:
    """Reads values one behind the other."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, size):
        if self.at + size > len(self.data):
            raise Cut("%d bytes wanted at %d of %d" % (size, self.at, len(self.data)))
        self.at += size
        return self.data[self.at - size:self.at]

    def length(self):
        value = shift = 0
        while True:
            byte = self.take(1)[0]
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def value(self, kind):
        if kind in FIXED:
            form = FIXED[kind]
            return struct.unpack(form, self.take(struct.calcsize(form)))[0]
        if kind == "String":
            return self.take(self.length())
        match = WRAPPED.match(kind)
        if not match:
            raise ValueError("unknown type " + kind)
        outer, inner = match.groups()
        if outer == "LowCardinality":
            return self.value(inner)
        if outer == "Nullable":
            return None if self.take(1)[0] else self.value(inner)
        return [self.value(inner) for _ in range(self.length())]


def put_rows(kinds, rows):
    return b"".join(put(kind, value) for row in rows for kind, value in zip(kinds, row))


def get_rows(kinds, data):
    source, rows = In(data), []
    while source.at < len(data):
        rows.append([source.value(kind) for kind in kinds])
    return rows


def get_table(data):
    """RowBinaryWithNamesAndTypes: names, types, rows."""
    source = In(data)
    count = source.length()
    names = [source.value("String").decode() for _ in range(count)]
    kinds = [source.value("String").decode() for _ in range(count)]
    return names, kinds, get_rows(kinds, data[source.at:])
