"""proofs.py - each harness with an input made by hand, and with wrong ones that it must notice."""
import copy
import json
import os
import subprocess

import judge
import rowbinary
import samples
import setup
import shards

TIMELINE = {
    "slices": "SELECT name, ts, dur FROM slice ORDER BY ts, id",
    "counters": "SELECT t.name, c.ts, c.value FROM counter c JOIN counter_track t "
                "ON t.id = c.track_id ORDER BY c.ts",
    "flows": "SELECT count(*) FROM flow",
    "bad": "SELECT name, value FROM stats WHERE severity IN ('error', 'data_loss') AND value > 0",
}
PPROF = {
    "frames": "SELECT c.depth, f.name FROM stack_profile_callsite c "
              "JOIN stack_profile_frame f ON f.id = c.frame_id ORDER BY c.id",
    "sums": "SELECT p.sample_type_type, p.sample_type_unit, count(*), sum(s.value) "
            "FROM __intrinsic_aggregate_sample s JOIN __intrinsic_aggregate_profile p "
            "ON p.id = s.aggregate_profile_id GROUP BY 1, 2 ORDER BY 1",
}
GECKO = {
    "samples": "SELECT s.ts, f.name FROM cpu_profile_stack_sample s "
               "JOIN stack_profile_callsite c ON c.id = s.callsite_id "
               "JOIN stack_profile_frame f ON f.id = c.frame_id ORDER BY s.ts",
}


def write(scratch, name, data):
    path = os.path.join(scratch, name)
    with open(path, "wb") as out:
        out.write(data)
    return path


def rows(answer):
    """{query: rows} of trace_processor's answer, or its error."""
    if "error" in answer:
        return {"error": answer["error"]}
    return {name: result["rows"] for name, result in answer["results"].items()}


def trace_processor(verdicts, scratch):
    perfetto, chrome = samples.perfetto(), samples.chrome()
    slices = [["outer", 1000, 2000], ["inner", 1500, 250], ["hit", 2000, 0]]
    wanted = [
        ("perfetto", perfetto, TIMELINE, {
            "slices": slices, "counters": [["creatures", 1000, 5.0], ["creatures", 2000, 8.0]],
            "flows": [[1]], "bad": []}),
        ("chrome", chrome, TIMELINE, {
            "slices": [["outer", 1001, 3003], ["hit", 1500, 0]],
            "counters": [["creatures value", 2000, 8.0]], "flows": [[0]], "bad": []}),
        ("pprof", samples.pprof(), PPROF, {
            "frames": [[0, "main"], [1, "step"]],
            "sums": [["calls", "count", 2, 5], ["wall", "nanoseconds", 2, 700]]}),
        ("firefox", samples.firefox(), GECKO, {
            "samples": [[1000000, "main"], [2000000, "step"], [3000000, "main"]]}),
    ]
    # trace_processor takes almost anything: what is lost shows in the counts alone.
    wrong = [
        ("a perfetto trace cut in the middle", perfetto[:len(perfetto) // 2], *wanted[0][2:]),
        ("an end one nanosecond late", perfetto.replace(samples.perfetto_event(1750, 2, 1),
         samples.perfetto_event(1751, 2, 1)), *wanted[0][2:]),
        ("an end that is missing", chrome.replace(b'"E"', b'"X"'), *wanted[1][2:]),
        ("text", b"this is no trace\n", *wanted[0][2:]),
    ]
    jobs = [{"file": write(scratch, "trace%d" % i, data), "queries": queries}
            for i, (_, data, queries, _) in enumerate(wanted + wrong)]
    answers = judge.ask("perfetto", jobs)
    for (name, _, _, want), answer in zip(wanted, answers):
        verdicts.add("trace_processor: " + name, judge.differences(want, rows(answer)))
    for (name, _, _, want), answer in zip(wrong, answers[len(wanted):]):
        verdicts.must_differ("trace_processor: " + name, judge.differences(want, rows(answer)))


def speedscope(verdicts, scratch):
    good = samples.speedscope()
    wanted = {"frames": 2, "profiles": [
        {"type": "evented", "unit": "nanoseconds", "events": 4, "total": {"main": 50, "step": 15}},
        {"type": "sampled", "samples": 2, "weight": 3, "stacks": ["main;step", "main"]}]}
    changes = {
        "a time that is text": lambda d: d["profiles"][0]["events"][1].update(at="10"),
        "a frame without a name": lambda d: d["shared"]["frames"][0].pop("name"),
        "an unknown unit": lambda d: d["profiles"][0].update(unit="ticks"),
        "calls that do not nest": lambda d: d["profiles"][0]["events"][2].update(frame=0),
        "time that runs backwards": lambda d: d["profiles"][0]["events"][2].update(at=5),
        "a weight too few": lambda d: d["profiles"][1]["weights"].pop(),
    }
    documents = [good]
    for change in changes.values():
        documents.append(copy.deepcopy(good))
        change(documents[-1])
    answers = judge.ask("speedscope", [
        {"file": write(scratch, "speed%d" % i, json.dumps(document).encode())}
        for i, document in enumerate(documents)])
    verdicts.add("speedscope", judge.differences(wanted, answers[0]))
    for name, answer in zip(changes, answers[1:]):
        verdicts.add("speedscope: " + name, [] if "error" in answer else ["was not noticed"])


def parquet(name, bytes_alone=False):
    """A proof of one reader of Parquet: DuckDB writes the file."""
    def prove(verdicts, scratch):
        path = os.path.join(scratch, "sample.parquet")
        made = judge.ask("duckdb", [{"file": path, "sql": samples.PARQUET_SQL % path}])[0]
        if "error" in made:
            verdicts.add(name, ["DuckDB writes no file: " + made["error"]])
            return
        with open(path, "rb") as data:
            whole = data.read()
        cut = write(scratch, "cut.parquet", whole[:len(whole) - 9] + whole[-8:])
        good, bad = judge.ask(name, [{"file": path}, {"file": cut}])
        verdicts.add(name, judge.table_differences(samples.COLUMNS, good, bytes_alone))
        verdicts.must_differ(name + ": a byte is missing",
                             judge.table_differences(samples.COLUMNS, bad, bytes_alone))
        for i, (column, kind, values) in enumerate(samples.COLUMNS):
            other = list(samples.COLUMNS)
            other[i] = (column, kind, values[:2] + values[:1])
            verdicts.must_differ("%s: another value in column %s" % (name, column),
                                 judge.table_differences(other, good, bytes_alone))
    return prove


def arrow(verdicts, scratch):
    path = os.path.join(scratch, "sample.arrows")
    script = os.path.join(setup.HERE, "readers", "arrow_sample.mjs")
    done = subprocess.run(["node", script, path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True)
    if done.returncode:
        verdicts.add("arrow", ["no sample: " + done.stdout])
        return
    with open(path, "rb") as data:
        whole = data.read()
    cut = write(scratch, "cut.arrows", whole[:len(whole) // 2])
    good, bad = judge.ask("arrow", [{"file": path}, {"file": cut}])
    wanted = [column for column in samples.COLUMNS if column[0] in ("u64", "f64", "t", "x", "l")]
    wanted = [(name, kind, column * 2) for name, kind, column in wanted]
    verdicts.add("arrow", judge.table_differences(wanted, good))
    verdicts.add("arrow: batches", judge.differences({"batches": 2}, good))
    verdicts.must_differ("arrow: half a stream", judge.table_differences(wanted, bad))


def arrow_in_chdb(verdicts, scratch):
    """The same stream in a second reader; the file is there when arrow() has run."""
    path = os.path.join(scratch, "sample.arrows")
    if os.path.exists(path):
        wanted = [(name, kind, column * 2) for name, kind, column in samples.COLUMNS
                  if name in ("u64", "f64", "t", "x", "l")]
        verdicts.add("chdb: Arrow stream",
                     judge.table_differences(wanted, judge.ask("chdb", [{"file": path}])[0], True))


def chdb(verdicts, scratch):
    parquet("chdb", True)(verdicts, scratch)
    arrow_in_chdb(verdicts, scratch)


def babeltrace2(verdicts, scratch):
    good, bad = os.path.join(scratch, "ctf"), os.path.join(scratch, "ctf-cut")
    samples.ctf(good)
    samples.ctf(bad)
    stream = os.path.join(bad, "thread_2")
    os.truncate(stream, os.path.getsize(stream) - 5)
    wanted = {"count": 4, "counts": {"call": 2, "return": 2}, "discarded": 3, "packets": 2,
              "events": [[0, "call", 1000, 1000, {"function": "main", "depth": 1}],
                         [0, "call", 1500, 1500, {"function": "step", "depth": 2}],
                         [0, "return", 2000, 2000, {"self_ns": 1 << 63}],
                         [0, "return", 2500, 2500, {"self_ns": 7}]]}
    answers = judge.ask("ctf", [{"file": good}, {"file": bad}, {"file": scratch + "/absent"}])
    verdicts.add("babeltrace2", judge.differences(wanted, answers[0]))
    verdicts.must_differ("babeltrace2: a packet is cut", judge.differences(wanted, answers[1]))
    verdicts.must_differ("babeltrace2: no trace", judge.differences(wanted, answers[2]))
    done = subprocess.run(["babeltrace2", good], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    verdicts.add("babeltrace2: the program prints as many", judge.differences(
        [0, 4], [done.returncode, done.stdout.count(b"\n")]))


def sqlite3(verdicts, scratch):
    done = subprocess.run(["sqlite3", ":memory:", "SELECT 1 + 1, sqlite_version() >= '3.40'"],
                          stdout=subprocess.PIPE, text=True)
    verdicts.add("sqlite3", judge.differences("2|1\n", done.stdout))


SHARDED = (("batch", "String"), ("stream", "UInt32"), ("time_ns", "UInt64"),
           ("depth", "Nullable(UInt32)"), ("function", "String"))


def clickhouse_rows(count):
    return [["b1", i % 8, (1 << 63) + i, None if i % 7 == 0 else i % 5, "f%d" % (i % 100)]
            for i in range(count)]


def clickhouse(verdicts, scratch):
    """Rows by stream into two shards; the Distributed table answers for both, also after a batch
    was loaded again."""
    made, kinds = clickhouse_rows(20000), [kind for _, kind in SHARDED]
    depths = [row[3] for row in made if row[3] is not None]
    wanted = "%d\t%d\t%d\t%d\t%d\n" % (len(made), len(depths), sum(depths), 100, made[-1][2])
    columns = ", ".join("%s %s" % pair for pair in SHARDED)
    ask = ("SELECT count(), count(depth), sum(depth), uniqExact(function), max(time_ns) FROM event")
    with shards.Shards(scratch) as both:
        for shard in (0, 1):
            both.ask(shard, "CREATE TABLE event_local (%s) ENGINE = MergeTree "
                            "PARTITION BY batch ORDER BY (stream, time_ns)" % columns)
            both.ask(shard, "CREATE TABLE event (%s) ENGINE = Distributed(rastrum, "
                            "currentDatabase(), event_local, cityHash64(stream))" % columns)
        for again in (0, 1):
            for shard in (0, 1):
                if again:
                    both.ask(shard, "ALTER TABLE event_local DROP PARTITION 'b1'")
                both.ask(shard, "INSERT INTO event_local FORMAT RowBinary", rowbinary.put_rows(
                    kinds, [row for row in made if row[1] % 2 == shard]))
            for shard in (0, 1):
                verdicts.add("clickhouse: load %d asked of shard %d" % (again + 1, shard + 1),
                             judge.differences(wanted, both.ask(shard, ask)))
        both.ask(1, "INSERT INTO event_local FORMAT RowBinary", rowbinary.put_rows(kinds, made[:1]))
        verdicts.must_differ("clickhouse: one row twice",
                             judge.differences(wanted, both.ask(0, ask)))
        read = both.ask(0, "SELECT * FROM event_local ORDER BY stream, time_ns LIMIT 2")
        verdicts.add("clickhouse: values", judge.differences(
            "b1\t0\t9223372036854775808\t\\N\tf0\nb1\t0\t9223372036854775816\t3\tf8\n", read))
        try:
            both.ask(0, "INSERT INTO event_local FORMAT RowBinary",
                     rowbinary.put_rows(kinds, made[:1])[:-1])
            verdicts.add("clickhouse: a row that is cut", ["was taken"])
        except shards.Failed:
            verdicts.add("clickhouse: a row that is cut", [])


# reader of setup.READERS: its proof, and what else the proof needs
PROOFS = {
    "trace_processor": (trace_processor, ()),
    "speedscope": (speedscope, ()),
    "DuckDB": (parquet("duckdb"), ()),
    "hyparquet": (parquet("hyparquet"), ("DuckDB",)),
    "parquet-wasm": (parquet("parquet_wasm"), ("DuckDB", "apache-arrow")),
    "apache-arrow": (arrow, ()),
    "chDB": (chdb, ("DuckDB",)),
    "babeltrace2": (babeltrace2, ()),
    "sqlite3": (sqlite3, ()),
    "ClickHouse": (clickhouse, ()),
}
