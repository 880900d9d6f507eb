"""values.py - tables of values in the form that all readers use (readers/lib.mjs)."""
import hashlib
import json
import math
import struct


def feed(digest, kind, value):
    if value is None:
        digest.update(b"n")
    elif isinstance(value, list):
        digest.update(b"[")
        for item in value:
            feed(digest, kind, item)
        digest.update(b"]")
    elif isinstance(value, bool):
        digest.update(b"t" if value else b"f")
    elif isinstance(value, bytes):
        digest.update(b"b%d:" % len(value) + value)
    elif isinstance(value, str):
        data = value.encode()
        digest.update(b"s%d:" % len(data) + data)
    elif kind == "float":
        digest.update(b"dnan" if math.isnan(value) else b"d" + struct.pack(">d", value))
    else:
        digest.update(b"i%d;" % value)


def digest_of(kind, column):
    digest = hashlib.sha256()
    for value in column:
        feed(digest, kind, value)
    return digest.hexdigest()[:32]


def table(columns, limit=1000):
    """columns: (name, kind, values)."""
    rows = len(columns[0][2]) if columns else 0
    return {"rows": rows, "columns": [
        {"name": name, "kind": kind, "count": len(column),
         "nulls": sum(value is None for value in column),
         "sum": sum(value for value in column if isinstance(value, int)) if kind == "int" else None,
         "digest": digest_of(kind, column),
         "values": column if rows <= limit else None} for name, kind, column in columns]}


def plain(value):
    """As JSON can hold it."""
    if isinstance(value, bytes):
        return {"bytes": value.hex()}
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    return value


def to_json(value):
    return json.dumps(plain(value), ensure_ascii=False)


def as_bytes(value):
    """For readers that do not tell text from bytes."""
    if isinstance(value, str):
        return value.encode()
    return [as_bytes(item) for item in value] if isinstance(value, list) else value


def from_json(kind, value):
    """A value that a reader printed, as Python's."""
    if isinstance(value, list):
        return [from_json(kind, item) for item in value]
    if isinstance(value, dict):
        return bytes.fromhex(value["bytes"])
    if kind == "float" and value is not None:
        return float(value.replace("Infinity", "inf") if isinstance(value, str) else value)
    return value
