"""What the package reads of every golden is what the program prints."""
import json
import math
import os
import struct
import tempfile
import unittest
import warnings

import common
import rastrum




def key_text(key):
    """A key as JSON shows it: text as it is, anything else as its own JSON."""
    if isinstance(key, str):
        return key
    if isinstance(key, bytes):
        return json.dumps(key.hex())
    if isinstance(key, list) and key and isinstance(key[0], tuple):
        return "{%s}" % ",".join("%s:%s" % (json.dumps(key_text(a)), key_text_of(b))
                                 for a, b in key)
    if isinstance(key, dict):
        return "{%s}" % ",".join("%s:%s" % (json.dumps(key_text(a)), key_text_of(b))
                                 for a, b in key.items())
    if isinstance(key, list):
        return "[%s]" % ",".join(key_text_of(item) for item in key)
    return json.dumps(key)


def key_text_of(value):
    return json.dumps(value) if isinstance(value, str) else key_text(value)


def pairs_of(value):
    return list(value.items()) if isinstance(value, dict) else value


def is_map(value):
    return isinstance(value, dict) or bool(isinstance(value, list) and value and
                                           isinstance(value[0], tuple))


def same(ours, theirs):
    """Whether a value is what JSON shows of it: bytes in hexadecimal digits, hashes as text."""
    if is_map(ours):
        return is_map(theirs) and len(pairs_of(ours)) == len(pairs_of(theirs)) and \
            all(key_text(a) == b and same(x, y)
                for (a, x), (b, y) in zip(pairs_of(ours), pairs_of(theirs)))
    if isinstance(ours, list):
        return isinstance(theirs, list) and len(ours) == len(theirs) and \
            all(same(a, b) for a, b in zip(ours, theirs))
    if isinstance(ours, bytes):
        return ours.hex() == theirs
    if isinstance(ours, str):
        return ours == theirs
    if isinstance(ours, bool) or ours is None:
        return ours is theirs
    if isinstance(theirs, str):  # a hash, or a number that JSON does not have
        return ours == int(theirs, 16) if theirs.startswith("0x") else \
            theirs in ("NaN", "Infinity", "-Infinity") and not math.isfinite(ours)
    if isinstance(ours, float):  # of 32 bits the shortest text is printed
        return ours == theirs or struct.pack("<f", ours) == struct.pack("<f", theirs)
    return ours == theirs


class Read(unittest.TestCase):
    def test_records_are_those_of_cat(self):
        values = 0
        for path in common.goldens():
            _, text = common.program("cat", "--json", path)
            printed = common.lines(text)
            with rastrum.open(path) as trace:
                records = list(trace.records())
            self.assertEqual(len(records), len(printed), path)
            for record, line in zip(records, printed):
                place = [record.seq, record.type, record.tick, record.stream, record.offset]
                self.assertEqual(place, [line.get(name) for name in
                                         ("seq", "type", "tick", "stream", "offset")], path)
                self.assertEqual(record.time_ns, line.get("time_ns"), path)
                self.assertTrue(same(record.values, line["values"]), "%s: %r, %r" % (
                    path, record.values, line["values"]))
                values += len(record.values)
        self.assertGreater(values, 10000)

    def test_documents_are_those_of_the_program(self):
        for path in common.goldens():
            with rastrum.open(path) as trace:
                for verb, ours in (("info", trace.info()), ("verify", trace.verify())):
                    _, text = common.program(verb, "--json", path)
                    self.assertEqual(ours, json.loads(text), "%s %s" % (verb, path))

    def test_stats(self):
        for path in common.goldens("murk", "atf"):
            _, text = common.program("stats", "--json", path)
            with rastrum.open(path) as trace:
                self.assertEqual(trace.stats(), json.loads(text)["tables"], path)

    def test_a_cut_trace_warns_once(self):
        with open(common.goldens("murk")[0], "rb") as file:
            whole = file.read()
        with rastrum.open(data=whole[:-5]) as trace, warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            first, again = list(trace.records()), list(trace.records())
            self.assertEqual(len(first), len(again))
            self.assertEqual([w.category for w in said], [rastrum.TruncatedWarning])
            self.assertEqual(trace.ending.state, "cut")
            self.assertLess(trace.ending.offset, len(whole) - 5)

    def test_ranges_types_and_conditions(self):
        path = os.path.join(common.GOLDEN, "murk", "all_payloads.murk")
        with rastrum.open(path) as trace:
            every = list(trace.records())
            self.assertEqual([r.seq for r in trace.records(types=["frame"])],
                             [r.seq for r in every if r.type == "frame"])
            self.assertEqual([r.seq for r in trace.records(axis="tick", start=2, stop=3)],
                             [r.seq for r in every if r.tick == 2])
            self.assertEqual([r.seq for r in trace.records(where="payload_type > 3")],
                             [r.seq for r in every if r.values.get("payload_type", 0) > 3])
            some = next(trace.records(types=["command"], fields=["coord"]))
            self.assertEqual(list(some.values), ["coord"])
            self.assertEqual(next(trace.records(values=False)).values, {})
            with self.assertRaises(ValueError):
                next(trace.records(start=1))

    def test_errors(self):
        with self.assertRaises(rastrum.RastrumError) as told:
            rastrum.open("/nowhere/at/all")
        self.assertEqual(told.exception.status, -1)
        self.assertIn("/nowhere/at/all: cannot open", str(told.exception))
        with self.assertRaises(rastrum.RastrumError):
            rastrum.open(data=b"neither of them")
        with self.assertRaises(ValueError):
            rastrum.open()
        trace = rastrum.open(common.goldens("murk")[0])
        trace.close()
        with self.assertRaises(ValueError):
            trace.info()
        with rastrum.open(common.goldens("murk")[0]) as trace:
            with self.assertRaisesRegex(rastrum.RastrumError, "there are record"):
                trace.table("no_such_table")
            with self.assertRaisesRegex(rastrum.RastrumError, "has no column"):
                trace.table("record", ["no_such_column"])
            with self.assertRaises(rastrum.RastrumError):
                list(trace.records(where="tick >"))

    def test_repair(self):
        with open(common.goldens("murk")[0], "rb") as file:
            whole = file.read()
        with tempfile.TemporaryDirectory() as place:
            cut, mended = os.path.join(place, "cut.murk"), os.path.join(place, "mended.murk")
            with open(cut, "wb") as file:
                file.write(whole[:-5])
            rastrum.repair(cut, mended)
            with rastrum.open(mended) as trace:
                self.assertTrue(trace.verify()["ok"])
                self.assertEqual(trace.info()["ending"]["state"], "complete")

    def test_shown_in_notebooks(self):
        with rastrum.open(common.goldens("murk")[0]) as trace:
            self.assertIn("<table>", trace._repr_html_())
            self.assertIn("<th>seq</th>", trace.table("record")._repr_html_())
            self.assertIn("murk", repr(trace))
        from rastrum._table import html_table
        self.assertNotIn("<script>", html_table(["<script>"], [("<script>",)]))


if __name__ == "__main__":
    unittest.main()
