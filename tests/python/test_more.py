"""SQL, comparisons, writers, runs and pens."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import warnings

import common
import rastrum


class Sql(unittest.TestCase):
    def test_rows_are_those_of_the_program(self):
        for path in common.goldens("murk", "aerogpu", "atf"):
            query = "SELECT seq, type, stream FROM record ORDER BY seq, type"
            _, text = common.program("sql", "--format", "jsonl", path, query)
            theirs = [json.loads(line) for line in text.splitlines()]
            self.assertEqual(rastrum.sql(query, path).to_dicts(), theirs, path)

    def test_two_named_traces(self):
        path = os.path.join(common.GOLDEN, "murk", "all_payloads.murk")
        with rastrum.connect(good=path, bad=path) as database:
            rows = database.execute("SELECT count(*) AS n FROM good.command a JOIN bad.command b "
                                    "USING (seq) WHERE a.payload_type = b.payload_type")
        self.assertEqual((rows.columns, rows.rows), (["n"], [(8,)]))
        self.assertIn("<td>8</td>", rows._repr_html_())

    def test_mistakes(self):
        path = common.goldens("murk")[0]
        with self.assertRaises(rastrum.RastrumError) as told:
            rastrum.sql("SELECT no_such FROM record", path)
        self.assertEqual(told.exception.status, -6)
        with self.assertRaises(ValueError):
            rastrum.connect()


class Installed(unittest.TestCase):
    def test_the_library_of_the_prefix_is_found(self):
        library = os.path.join(os.environ["RASTRUM_LIBRARY"], "librastrum.so.1")
        package = os.path.dirname(os.path.abspath(rastrum.__file__))
        for folder in ("lib", "lib64", "lib/x86_64-linux-gnu"):
            with tempfile.TemporaryDirectory() as prefix:
                os.makedirs(os.path.join(prefix, folder))
                os.makedirs(os.path.join(prefix, "share/rastrum/python"))
                os.symlink(os.path.realpath(library),
                           os.path.join(prefix, folder, "librastrum.so.1"))
                shutil.copytree(package, os.path.join(prefix, "share/rastrum/python/rastrum"))
                environment = {name: value for name, value in os.environ.items()
                               if name != "RASTRUM_LIBRARY"}
                environment["PYTHONPATH"] = os.path.join(prefix, "share/rastrum/python")
                done = subprocess.run([sys.executable, "-c", "import rastrum; rastrum.formats();"
                                       "print(open('/proc/self/maps').read())"], env=environment,
                                      stdout=subprocess.PIPE, text=True, check=True)
                self.assertIn(os.path.realpath(library), done.stdout)


class Diff(unittest.TestCase):
    def test_documents_are_those_of_the_program(self):
        traces = common.goldens("murk")
        compared = 0
        for good, bad in zip(traces, traces[1:]):
            status, text = common.program("diff", "--json", good, bad)
            try:
                ours = rastrum.diff(good, bad)
            except rastrum.RastrumError:
                self.assertEqual(status, 2, text)
                continue
            self.assertEqual(ours.document, json.loads(text), "%s %s" % (good, bad))
            self.assertEqual(ours.complete, status != 3, good)
            if status != 3:
                self.assertEqual((ours.same, ours.first is None), (status == 0, status == 0), good)
            compared += 1
        self.assertGreater(compared, 3)

    def test_what_is_the_same_as_far_as_it_goes_says_so(self):
        folder = os.path.join(common.GOLDEN, "murk")
        cut, whole = (os.path.join(folder, name) for name in ("cut_frame.murk", "lints.murk"))
        self.assertIn("not whole", repr(rastrum.diff(cut, cut)))
        self.assertIn("&quot;complete&quot;: false", rastrum.diff(cut, cut)._repr_html_())
        self.assertNotIn("not whole", repr(rastrum.diff(whole, whole)))

    def test_options(self):
        traces = [path for path in common.goldens("murk") if path.endswith("all_payloads.murk")]
        self.assertFalse(rastrum.diff(traces[0], traces[0], last=2, ignore=["commands"]))
        with self.assertRaises(rastrum.RastrumError):
            rastrum.diff(traces[0], traces[0], ignore=["no_such_path"])


class Writer(unittest.TestCase):
    def test_what_was_read_is_written_again(self):
        path = os.path.join(common.GOLDEN, "murk", "all_payloads.murk")
        _, text = common.program("cat", "--json", "--header", path)
        head, *lines = [json.loads(line) for line in text.splitlines()]
        with tempfile.TemporaryDirectory() as place:
            copy = os.path.join(place, "copy.murk")
            with rastrum.Writer("murk", copy, header=head["values"]) as writer:
                for line in lines[:-1]:  # the last is of the type exact
                    writer.append(line["type"], line["values"], tick=line.get("tick"))
            with open(path, "rb") as one, open(copy, "rb") as other:
                self.assertEqual(one.read(), other.read())
            with self.assertRaises(rastrum.RastrumError):  # it is there
                with rastrum.Writer("murk", copy) as writer:
                    writer.append("frame", {"tick_id": 1, "snapshot_hash": "0x0"})
            with self.assertRaises(ZeroDivisionError):
                with rastrum.Writer("murk", os.path.join(place, "none.murk")):
                    1 / 0
            self.assertFalse(os.path.exists(os.path.join(place, "none.murk")))


class Pens(unittest.TestCase):
    def play(self, place, fault=None):
        with rastrum.Pens(place, program="game", seed=7, dt_seconds=1 / 60) as pens:
            score = 0
            for tick in range(1, 31):
                pens.tick(tick)
                pens.input(1, bytes([tick]))
                score += tick + (tick == fault)
                pens.value("score", score)
                pens.value("speed", score / 2)
                pens.value("name", "tick %d" % tick)
                pens.state("map", bytes(range(tick)))
                pens.draw(3, score & 0x7fff, tick, tick + 1)
                pens.entity("creature", 2, kind=1, hp=float(score), x=1.0, y=2.0)
                pens.player(0, 1.0, 2.0, 100.0)
                with pens.span("drawing"):
                    pens.pixels("rgba", 4, 2, bytes([score & 255]) * 32)

    def test_a_run_and_a_fault(self):
        with tempfile.TemporaryDirectory() as place:
            good, same, bad = (os.path.join(place, name) for name in ("good", "same", "bad"))
            self.play(good)
            self.play(same)
            self.play(bad, fault=12)
            self.assertTrue(rastrum.diff(good, same).same)
            found = rastrum.diff(good, bad)
            self.assertEqual(found.first["tick"], 12)
            self.assertIn("cdt", found.first["pens"])
            status, text = common.program("diff", "--json", good, bad)
            self.assertEqual((status, json.loads(text)), (1, found.document))
            with rastrum.Run(good) as run:
                self.assertEqual(run.settings["seed"], 7)
                self.assertLessEqual({"murk", "cdt", "dial9", "aerogpu"}, set(run.traces))
                with run.open("dial9") as trace:
                    rows = trace.sql("SELECT count(*) FROM value JOIN value_f64 USING (tick)")
                    self.assertEqual(rows[0][0], 30)
            rows = rastrum.sql("SELECT sum(value) FROM dial9.value", good)
            self.assertEqual(rows[0][0], sum(n * (n + 1) // 2 for n in range(1, 31)))
            with self.assertRaises(rastrum.RastrumError):
                rastrum.Pens(good)

    def test_a_run_that_is_cut(self):
        with tempfile.TemporaryDirectory() as place:
            good, cut = os.path.join(place, "good"), os.path.join(place, "cut")
            self.play(good)
            self.play(cut)
            events = os.path.join(cut, "events.trc")
            os.truncate(events, os.path.getsize(events) - 40)
            found = rastrum.diff(good, cut)
            self.assertEqual(common.program("diff", good, cut)[0], 3)
            self.assertEqual((found.same, found.complete), (True, False))
            with warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("always")
                rastrum.sql("SELECT count(*) FROM dial9.tick", cut)
            self.assertIn(rastrum.TruncatedWarning, [w.category for w in said])

    def test_without_a_directory(self):
        self.assertNotIn("RASTRUM_PENS", os.environ)
        with rastrum.Pens() as pens:
            self.assertFalse(pens.is_on)
            pens.tick(1)
            pens.value("x", 1)
        with self.assertRaises(OverflowError):
            pens.value("x", 2**63)
        with self.assertRaises(ValueError):
            pens.pixels("rgba", 4, 4, b"few")


class Loading(unittest.TestCase):
    def test_a_library_that_is_not_there(self):
        env = {**os.environ, "RASTRUM_LIBRARY": "/nowhere/at/all/librastrum.so.1"}
        done = subprocess.run(["/usr/bin/python3", "-c", "import rastrum"], env=env,
                              stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("set RASTRUM_LIBRARY to the directory of a build", done.stderr)


if __name__ == "__main__":
    unittest.main()
