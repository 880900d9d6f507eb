"""Tables: batches against SQL's own rows, NumPy, pandas, Arrow read by foreign code."""
import ctypes
import importlib.util
import json
import os
import unittest

import common
import rastrum
from rastrum import _c

HAS_NUMPY = importlib.util.find_spec("numpy") is not None
HAS_PANDAS = importlib.util.find_spec("pandas") is not None


class ArrowSchema(ctypes.Structure):
    pass


ArrowSchema._fields_ = [("format", ctypes.c_char_p), ("name", ctypes.c_char_p),
                        ("metadata", ctypes.c_void_p), ("flags", ctypes.c_int64),
                        ("n_children", ctypes.c_int64),
                        ("children", ctypes.POINTER(ctypes.POINTER(ArrowSchema))),
                        ("dictionary", ctypes.POINTER(ArrowSchema)),
                        ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(ArrowSchema))),
                        ("private_data", ctypes.c_void_p)]


class ArrowArray(ctypes.Structure):
    pass


ArrowArray._fields_ = [("length", ctypes.c_int64), ("null_count", ctypes.c_int64),
                       ("offset", ctypes.c_int64), ("n_buffers", ctypes.c_int64),
                       ("n_children", ctypes.c_int64),
                       ("buffers", ctypes.POINTER(ctypes.c_void_p)),
                       ("children", ctypes.POINTER(ctypes.POINTER(ArrowArray))),
                       ("dictionary", ctypes.POINTER(ArrowArray)),
                       ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(ArrowArray))),
                       ("private_data", ctypes.c_void_p)]

NEXT = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(ArrowArray))
SCHEMA = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(ArrowSchema))
RELEASE = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
WIDTHS = {b"C": ctypes.c_uint8, b"S": ctypes.c_uint16, b"I": ctypes.c_uint32,
          b"L": ctypes.c_uint64, b"l": ctypes.c_int64, b"f": ctypes.c_float,
          b"g": ctypes.c_double, b"i": ctypes.c_int32}


def is_there(array, row):
    bits = array.buffers[0]
    return not bits or bool(ctypes.cast(bits, ctypes.POINTER(ctypes.c_uint8))[row >> 3] >>
                            (row & 7) & 1)


def texts(array, kind, big):
    """Values of a string or binary array."""
    width = ctypes.c_int64 if big else ctypes.c_int32
    ends = ctypes.cast(array.buffers[1], ctypes.POINTER(width))
    found = []
    for row in range(array.length):
        raw = ctypes.string_at(array.buffers[2] + ends[row], ends[row + 1] - ends[row]) \
            if ends[row + 1] > ends[row] else b""
        found.append((raw.decode("utf-8", "replace") if kind in b"uU" else raw)
                     if is_there(array, row) else None)
    return found


def arrow_column(schema, array):
    if schema.dictionary:
        words = arrow_column(schema.dictionary.contents, array.dictionary.contents)
        codes = ctypes.cast(array.buffers[1], ctypes.POINTER(WIDTHS[schema.format]))
        return [words[codes[row]] if is_there(array, row) else None
                for row in range(array.length)]
    if schema.format in (b"u", b"U", b"z", b"Z"):
        return texts(array, schema.format, schema.format in (b"U", b"Z"))
    if schema.format == b"b":
        bits = ctypes.cast(array.buffers[1], ctypes.POINTER(ctypes.c_uint8))
        return [bool(bits[row >> 3] >> (row & 7) & 1) if is_there(array, row) else None
                for row in range(array.length)]
    if schema.format == b"+l":
        ends = ctypes.cast(array.buffers[1], ctypes.POINTER(ctypes.c_int32))
        items = arrow_column(schema.children[0].contents, array.children[0].contents)
        return [items[ends[row]:ends[row + 1]] if is_there(array, row) else None
                for row in range(array.length)]
    values = ctypes.cast(array.buffers[1], ctypes.POINTER(WIDTHS[schema.format]))
    return [values[row] if is_there(array, row) else None for row in range(array.length)]


def by_arrow(table):
    """All columns of the table through its capsule, as a consumer that keeps the stream: it moves
    the structure, reads, and releases it when the capsule is gone."""
    capsule = table.__arrow_c_stream__()
    get = ctypes.pythonapi.PyCapsule_GetPointer
    address = get(ctypes.c_void_p(id(capsule)), b"arrow_array_stream")
    stream = _c.ArrowStream.from_buffer_copy(_c.ArrowStream.from_address(address))
    _c.ArrowStream.from_address(address).release = None
    del capsule
    at, schema = ctypes.addressof(stream), ArrowSchema()
    if SCHEMA(stream.get_schema)(at, ctypes.byref(schema)):
        raise ValueError("no schema")
    names = [schema.children[i].contents.name.decode() for i in range(schema.n_children)]
    found = {name: [] for name in names}
    while True:
        array = ArrowArray()
        if NEXT(stream.get_next)(at, ctypes.byref(array)):
            raise ValueError("no array")
        if not array.release:
            break
        for i, name in enumerate(names):
            found[name] += arrow_column(schema.children[i].contents, array.children[i].contents)
        array.release(ctypes.byref(array))
    schema.release(ctypes.byref(schema))
    RELEASE(stream.release)(at)
    return found


def in_utf8(value):
    """Text as Arrow has it: what is not UTF-8 is replaced."""
    if isinstance(value, list):
        return [in_utf8(item) for item in value]
    return value.encode("utf-8", "surrogateescape").decode("utf-8", "replace") \
        if isinstance(value, str) else value


def comparable(values):
    return [repr(value) for value in values]


class Tables(unittest.TestCase):
    def test_rows_are_those_of_sql(self):
        compared = 0
        for path in common.goldens()[::3]:
            with rastrum.open(path) as trace:
                for name in trace.tables:
                    if name.startswith("_"):
                        continue
                    table = trace.table(name)
                    columns = [column.name for column in table.columns]
                    ours = table.to_pydict()
                    chosen = ", ".join('"%s"' % column for column in columns)
                    rows = trace.sql('SELECT %s FROM "%s"' % (chosen, name))
                    for i, column in enumerate(table.columns):
                        if column.type.split()[0] in ("list", "u64", "f32", "bool", "f64"):
                            continue  # SQLite has these otherwise: tests/sql compares them
                        theirs = [row[i] for row in rows]
                        self.assertEqual(ours[column.name], theirs, "%s %s.%s" % (
                            path, name, column.name))
                        compared += len(theirs)
        self.assertGreater(compared, 5000)

    def test_arrow_is_what_lists_are(self):
        before = (len(rastrum._table._streams), len(rastrum._table._capsules))
        for path in common.goldens()[1::3]:
            with rastrum.open(path) as trace:
                for name in trace.tables:
                    table = trace.table(name)
                    ours, theirs = table.to_pydict(), by_arrow(table)
                    self.assertEqual(list(ours), list(theirs), path)
                    for column, values in ours.items():
                        # Arrow's lists here have no null inside them: they are null then.
                        values = [None if isinstance(v, list) and None in v else in_utf8(v)
                                  for v in values]
                        self.assertEqual(comparable(values), comparable(theirs[column]),
                                         "%s %s.%s" % (path, name, column))
        self.assertEqual((len(rastrum._table._streams), len(rastrum._table._capsules)), before)

    def test_a_capsule_that_nobody_reads(self):
        with rastrum.open(common.goldens("murk")[0]) as trace:
            capsule = trace.table("record").__arrow_c_stream__()
            self.assertEqual(len(rastrum._table._streams), 1)
            del capsule
            self.assertEqual(len(rastrum._table._streams), 0)

    def test_conditions_and_ranges(self):
        path = os.path.join(common.GOLDEN, "murk", "all_payloads.murk")
        with rastrum.open(path) as trace:
            whole = trace.table("command", ["seq", "tick", "payload_type"]).to_pydict()
            some = trace.table("command", ["seq", "payload_type"], where="payload_type > 3")
            self.assertEqual(some.to_pydict()["seq"],
                             [s for s, p in zip(whole["seq"], whole["payload_type"]) if p > 3])
            tick = trace.table("command", ["seq"], axis="tick", start=3)
            self.assertEqual(tick.to_pydict()["seq"],
                             [s for s, t in zip(whole["seq"], whole["tick"]) if t >= 3])

    @unittest.skipUnless(HAS_NUMPY, "NumPy is not installed")
    def test_numpy_is_what_lists_are(self):
        for path in common.goldens()[2::3]:
            with rastrum.open(path) as trace:
                for name in trace.tables:
                    table = trace.table(name)
                    ours, theirs = table.to_pydict(), table.to_numpy()
                    for column in ours:
                        self.assertEqual(comparable(theirs[column].tolist()),
                                         comparable(ours[column]),
                                         "%s %s.%s" % (path, name, column))

    @unittest.skipUnless(HAS_PANDAS, "pandas is not installed")
    def test_pandas(self):
        path = os.path.join(common.GOLDEN, "murk", "all_payloads.murk")
        with rastrum.open(path) as trace:
            frame = trace.table("command").to_pandas()
            rows = trace.table("command").to_pydict()
        self.assertEqual(frame["payload_name"].tolist(), rows["payload_name"])
        self.assertEqual(str(frame["source_id"].dtype), "UInt64")
        self.assertEqual(int(frame["source_id"].isna().sum()),
                         sum(value is None for value in rows["source_id"]))


class Facts(unittest.TestCase):
    def test_tables_of_stats(self):
        path = common.goldens("murk")[0]
        with rastrum.open(path) as trace:
            table = trace.table("stats_types")
            stats = trace.stats("types")["types"]
            self.assertEqual([list(row) for row in table], stats["rows"])

    def test_columns_are_described(self):
        _, text = common.program("sql", "--format", "jsonl", common.goldens("murk")[0],
                                 'SELECT "column" AS name, type FROM _columns WHERE "table" = '
                                 "'command' AND NOT hidden")
        described = [json.loads(line) for line in text.splitlines()]
        with rastrum.open(common.goldens("murk")[0]) as trace:
            own = [{"name": c.name, "type": c.type} for c in trace.table("command").columns]
        self.assertEqual(own, described)


if __name__ == "__main__":
    unittest.main()
