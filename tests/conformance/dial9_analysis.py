#!/usr/bin/env python3
"""dial9_analysis.py - every integer of the public analysis of the demo trace, reported by `stats`.

dial9_analysis.py RASTRUM FIXTURES

clockSyncAnchors and clockOffsetNs are rounded to doubles there and are held to what the events
say instead. Its points of interest count waits for the kernel over 100 ns as if they were over
100 us; both have a name of their own here.
"""
import json
import math
import os
import re
import subprocess
import sys

import tally

RASTRUM, FIXTURES = sys.argv[1], os.path.join(sys.argv[2], "dial9")
QUANTILES = ("n", "min", "p50", "p90", "p99", "max", "sum")
COLUMNS = ("count", "min_ns", "p50_ns", "p90_ns", "p99_ns", "max_ns", "total_ns")


def check(what, got, want):
    tally.check(what, got == want and type(got) is type(want), f"{got!r}, expected {want!r}")


def near(what, got, want):
    check(what, math.isclose(got, want, rel_tol=1e-12), True)


class Table:
    def __init__(self, table):
        self.columns = table["columns"]
        self.rows = [dict(zip(self.columns, row)) for row in table["rows"]]
        self.coverage = table["coverage"]

    def by(self, column):
        return {row[column]: row for row in self.rows}


def quantiles(what, row, want, columns=COLUMNS):
    for key, column in zip(QUANTILES, columns):
        check(f"{what} {key}", row[column], want[key])


def check_summary(tables, want):
    figures = {row["figure"]: row["value"] for row in tables["summary"].rows}
    for figure, value in (
            ("runtime_events", want["events"]), ("first_time_ns", want["minTs"]),
            ("last_time_ns", want["maxTs"]), ("cpu_samples", want["cpuSamples"]),
            ("on_cpu_samples", want["onCpu"]), ("off_cpu_samples", want["offCpu"]),
            ("custom_events", want["customEvents"]), ("task_spawns", want["taskSpawns"]),
            ("task_terminates", want["taskTerminates"]),
            ("task_spawns_uninstrumented", want["instrumentedFalse"]),
            ("symbols", want["symbols"]), ("task_dumps", want["taskDumps"]),
            ("tasks_dumped", want["taskDumpTasks"]),
            ("polls_with_on_cpu_samples", want["attach"]["pollsWithCpuSamples"]),
            ("polls_with_off_cpu_samples", want["attach"]["pollsWithSchedSamples"]),
            ("local_queue_max", want["maxLocalQueue"]),
            ("delays_over_1ms", want["schedDelaysOver1ms"]),
            ("delays_over_5ms", want["schedDelaysOver5ms"]),
            ("active_tasks_changes", want["activeTasks"]["samples"]),
            ("active_tasks_peak", want["activeTasks"]["peak"]),
            ("active_tasks_last", want["activeTasks"]["last"]),
            ("spans", want["spans"]["all"]), ("spans_unmatched", want["spans"]["unmatched"]),
            ("span_depth_max", want["spans"]["maxDepth"]), ("idle_with_work", 0),
            ("tasks_alive_at_end", 0)):
        check(figure, figures[figure], value)


def check_workers(tables, want):
    workers = tables["workers"].by("worker")
    check("workers", sorted(workers), sorted(int(w) for w in want["workers"]))
    for name, worker in want["workers"].items():
        name = int(name)
        for table, key in (("polls", "polls"), ("parks", "parks"),
                           ("active_periods", "actives"), ("kernel_waits", "schedWait")):
            quantiles(f"worker {name} {key}", tables[table].by("worker")[name], worker[key])
        near(f"worker {name} ratio", workers[name]["cpu_ratio"], worker["ratioAvg"])
        near(f"worker {name} utilization", workers[name]["utilization_percent"] / 100,
             worker["utilization"])
    wakes = {str(r["target_worker"]): r["wakes"] for r in tables["wakes"].rows}
    check("wakes", wakes, want["wakesByTarget"])
    threads = {str(r["tid"]): r["name"] for r in tables["threads"].rows}
    check("threads", threads, want["threadNames"])
    quantiles("queue", tables["queues"].rows[0], want["queueSamples"],
              ("count", "min", "p50", "p90", "p99", "max", "total"))


def check_polls(tables, want):
    places = tables["polls_by_location"].by("spawn_loc")
    check("locations", sorted(places), sorted(want["pollByLoc"]))
    for place, row in want["pollByLoc"].items():
        quantiles(place, places[place], row)
    quantiles("delays", tables["scheduling_delays"].by("delay")["wake to poll"],
              want["schedDelays"])
    columns = ("worker", "time_ns", "duration_ns", "task", "spawn_loc", "on_cpu_samples",
               "off_cpu_samples")
    keys = ("worker", "start", "dur", "task", "spawn", "cpu", "sched")
    check("long polls", [[r[c] for c in columns] for r in tables["long_polls"].rows],
          [[p[k] for k in keys] for p in want["longPolls"]])
    points = {r["point"].split(" (")[0]: r["count"] for r in tables["points_of_interest"].rows}
    for point in ("long-poll", "cpu-sampled", "wake-delay"):
        check(point, points[point], want["poi"][point])
    check("waits over 100 ns", points["kernel wait over 100 ns"], want["poi"]["sched"])
    check("waits over 100 us", points["kernel wait over 100 us"], 0)


def check_spans(tables, want):
    for table, key in (("spans", "dur"), ("span_active", "active")):
        rows = tables[table].by("span")
        check(table, sorted(rows), sorted(want["spans"]["byName"]))
        for name, span in want["spans"]["byName"].items():
            quantiles(f"{table} {name}", rows[name], span[key])
    segments = {r["span"]: r["count"] for r in tables["span_segments"].rows}
    check("segments", segments, {n: s["segments"] for n, s in want["spans"]["byName"].items()})


def check_samples(tables, want):
    for source, flame, top in (("on-CPU", "flameOnCpu", "topOn"),
                               ("off-CPU", "flameOffCpu", "topOff")):
        row = tables["cpu_samples"].by("source")[source]
        for column, key in (("tree_nodes", "nodes"), ("tree_depth", "maxDepth"),
                            ("samples", "total")):
            check(f"{source} {key}", row[column], want[flame][key])
        # The oracle shows where a leaf is in its file, too.
        stacks = [r for r in tables["stacks"].rows if r["source"] == source][:len(want[top])]
        check(top, [[r["samples"], r["frames"], r["leaf"]] for r in stacks],
              [[t["n"], t["depth"], t["leaf"].split(" :")[0]] for t in want[top]])


def check_flags(tables):
    flags = [(r["severity"], r["flag"], r["count"]) for r in tables["red_flags"].rows]
    check("red flags", flags,
          [("critical", "long-poll", 1), ("warning", "long-poll", 1),
           ("warning", "long-poll", 1), ("warning", "sched-delay", 41),
           ("warning", "blocking-calls", 882), ("info", "span-duration-outlier", 109),
           ("info", "span-duration-outlier", 120), ("info", "span-duration-outlier", 5)])
    clock = [(r["time_ns"], r["realtime"]) for r in tables["clock"].rows]
    check("clock", clock, [(503226032430072, 1778867710078081994),
                           (503227142951152, 1778867711188603039)])
    for name, table in tables.items():
        check(f"coverage of {name}", table.coverage != "", True)


def rastrum(*args):
    return subprocess.run([RASTRUM, *args], capture_output=True, timeout=60).stdout.decode()


def check_times(demo):
    """What `stats` prints as +T is where `cat --from` finds it; a range moves no origin."""
    def times(*args):
        text = rastrum("stats", "--limit", "5", "-t", "long_polls,long_delays,clock", *args, demo)
        return {word for word in text.split() if re.fullmatch(r"\+[0-9.]+s", word)}
    whole = times()
    check("times printed", len(whole), 11)
    for at in whole:
        line = rastrum("cat", "--time", "relative", "--merged", "--from", at, "-n1", demo)
        check(f"record at {at}", line.split()[1], at)
    check("times with a range", times("--from", "+3.9s", "--to", "+3.96s") & whole,
          {at for at in whole if "+3.9" <= at < "+3.96"} | {"+0.000000000s", "+1.110521080s"})


def check_stacks(demo, tables):
    """What upstream's own analysis prints below the longest polls, and its folded stacks."""
    got = [(r["blocked_by"], r["syscall"], (r["called_from"] or "").split("::")[-1])
           for r in tables["long_polls"].rows]
    check("what long polls waited for", got[:3], [
        ("synchronize_rcu", "socket", "connect http.rs:834"),
        ("expand_files", "socket", "connect http.rs:834"),
        (None, None, "jent_keccakp_1600 jitterentropy-sha3.c:246")])
    frames = [r["function"] for r in tables["long_poll_stacks"].rows
              if r["time_ns"] == tables["long_polls"].rows[0]["time_ns"] and r["kind"] == "kernel"]
    check("kernel path", " ".join(frames), "__schedule schedule schedule_timeout __wait_for_common "
          "__wait_rcu_gp synchronize_rcu expand_fdtable expand_files alloc_fd __sys_socket "
          "__x64_sys_socket do_syscall_64 entry_SYSCALL_64_after_hwframe")
    folded = os.path.join(os.path.dirname(FIXTURES), "dial9-2026", "samples", "f01_inlined")
    with open(folded + ".json", encoding="utf-8") as text:
        want = json.load(text)
    lines = rastrum("tree", "--folded", folded + ".bin").splitlines()
    for kind, key in (("on-CPU", "folded_cpu"), ("off-CPU", "folded_off_cpu")):
        check(f"folded {kind}", [line for line in lines if line.startswith(kind)],
              [f"{kind};{path} {count}" for path, count in want[key]])
    for by in ("kind", "worker", "task", "spawn"):
        sums = {"on-CPU": 0, "off-CPU": 0}
        for line in rastrum("tree", "--folded", "--by", by, demo).splitlines():
            sums[line.split(";")[0].split(",")[0]] += int(line.rsplit(" ", 1)[1])
        check(f"samples by {by}", sums, {"on-CPU": 72, "off-CPU": 6877})


def main():
    demo = os.path.join(FIXTURES, "demo-trace.bin")
    with open(os.path.join(FIXTURES, "demo-trace.analysis.json"), encoding="utf-8") as text:
        want = json.load(text)
    done = subprocess.run([RASTRUM, "stats", "--json", demo], capture_output=True, timeout=60)
    check("exit status", done.returncode, 0)
    check("remarks", done.stderr, b"")
    tables = {name: Table(t) for name, t in json.loads(done.stdout)["tables"].items()}
    check_summary(tables, want)
    check_workers(tables, want)
    check_polls(tables, want)
    check_spans(tables, want)
    check_samples(tables, want)
    check_flags(tables)
    check_times(demo)
    check_stacks(demo, tables)


main()
tally.finish()
