#!/usr/bin/env python3
"""dial9_profile.py - stacks, memory, usage and metrics of the fixtures of 2026, every number.

dial9_profile.py RASTRUM FIXTURES

What has no expected figures of its own there (groups of samples, task dumps, metrics) is computed
from the events that the fixtures list, by the rules of the format's own tools.
"""
import json
import math
import os
import subprocess
import sys

import tally

RASTRUM, FIXTURES = sys.argv[1], os.path.join(sys.argv[2], "dial9-2026")


def check(what, got, want):
    tally.check(what, got == want and type(got) is type(want), f"{got!r}, expected {want!r}")


def near(what, got, want):
    tally.check(what, got is not None and math.isclose(got, want, rel_tol=1e-12, abs_tol=1e-300),
                f"{got!r}, expected {want!r}")


def rastrum(*args, status=0):
    done = subprocess.run([RASTRUM, *args], capture_output=True, timeout=60)
    check(f"status of {args[0]} {os.path.basename(args[-1])}", done.returncode, status)
    return done.stdout.decode()


def tables_of(path, status=0):
    report = json.loads(rastrum("stats", "--json", path, status=status))
    return {name: [dict(zip(t["columns"], row)) for row in t["rows"]]
            for name, t in report["tables"].items()}


def expected(name):
    with open(os.path.join(FIXTURES, name + ".json"), encoding="utf-8") as f:
        return json.load(f)


def figures(rows):
    return {row["figure"]: row["value"] for row in rows}


def fold(chain):
    return ";".join("0x%x" % a for a in reversed(chain)) or "(empty)"


# ---- memory ------------------------------------------------------------------------------------

def check_heap(name):
    want, tables = expected(name), tables_of(os.path.join(FIXTURES, name + ".bin"))
    have, rate = figures(tables["heap"]), want["figures"]
    for key in ("sample_rate_bytes", "alloc_samples", "free_samples", "sampled_bytes",
                "live_samples", "dropped_allocs", "dropped_frees"):
        check(f"{name} {key}", have[key], rate[key])
    for key in ("estimated_bytes", "live_estimated_bytes"):
        near(f"{name} {key}", have[key], rate[key])
        near(f"{name} {key} at the default rate", have[key + "_at_default_rate"],
             want["figures_with_default_rate"][key])
    sites = {row["stack"]: row for row in tables["heap_sites"]}
    check(f"{name} sites", sorted(sites), sorted(fold(s["callchain"]) for s in rate["sites"]))
    for site in rate["sites"]:
        row = sites[fold(site["callchain"])]
        for column, key in (("samples", "count"), ("sampled_bytes", "sampled_bytes"),
                            ("live_samples", "live_count")):
            check(f"{name} {row['stack']} {key}", row[column], site[key])
        for key in ("estimated_bytes", "live_estimated_bytes"):
            near(f"{name} {row['stack']} {key}", row[key], site[key])
    bytes_of = [row["estimated_bytes"] for row in tables["heap_sites"]]
    check(f"{name} sites in order", bytes_of, sorted(bytes_of, reverse=True))
    check(f"{name} tasks", [(r["task"], r["samples"]) for r in tables["heap_tasks"]],
          [(None, rate["alloc_samples"])])


# ---- process -----------------------------------------------------------------------------------

def check_process(name):
    want, tables = expected(name), tables_of(os.path.join(FIXTURES, name + ".bin"))
    have, usage = figures(tables["process"]), want["usage"]
    check("usage samples", have["usage_samples"], usage["samples"])
    near("average cores", have["average_cores"], usage["average_cores"])
    check("max rss", have["max_rss_bytes"], usage["max_rss_bytes"])
    check("accept queue", have["accept_queue_peak"], want["accept_queue_peak"])
    check("points", [r["time_ns"] for r in tables["cpu_cores"]],
          [p["ts"] for p in usage["points"]])
    for row, point in zip(tables["cpu_cores"], usage["points"]):
        near(f"cores at {point['ts']}", row["cores"], point["cores"])
    check("runtime series",
          [{"ts": r["time_ns"], "global_queue_depth": r["global_queue_depth"],
            "alive_tasks": r["alive_tasks"]} for r in tables["runtime_series"]],
          want["runtime_series"])
    check_usage(tables, want)
    check_queue(tables, want)
    check_metrics(tables, want)


def events(want, kind):
    return [e for e in want["events"] if e["t"] == kind]


def check_usage(tables, want):
    rows = {r["resource"]: r for r in tables["resource_usage"]}
    samples = events(want, "ProcessResourceUsageEvent")
    check("resources", sorted(rows), sorted(samples[0]["v"]))
    for name, row in rows.items():
        values = [e["v"][name] for e in samples]
        check(f"{name}", [row[c] for c in ("samples", "first", "last", "change", "max")],
              [len(values), values[0], values[-1], values[-1] - values[0], max(values)])


def check_queue(tables, want):
    samples = events(want, "TcpAcceptQueueEvent")
    pending = [e["v"]["pending_connections"] for e in samples]
    first = samples[0]["v"]
    check("queues", len(tables["accept_queues"]), 1)
    row = tables["accept_queues"][0]
    for column in ("socket_cookie", "socket_inode", "ip_version", "local_addr", "local_port",
                   "backlog_limit"):
        check(f"queue {column}", row[column], first[column])
    check("queue pending", [row[c] for c in ("samples", "pending_last", "pending_max")],
          [len(pending), pending[-1], max(pending)])
    near("queue mean", row["pending_mean"], sum(pending) / len(pending))


def check_metrics(tables, want):
    """By type, field and texts beside it, as the events have them."""
    series = {}
    for e in want["events"]:
        notes = want["annotations"].get(e["t"], {})
        labels = ",".join(f"{k}={v}" for k, v in e["v"].items() if isinstance(v, str)) or None
        for field, note in notes.items():
            if "kind" in note:
                key = (e["t"], field, note["kind"], note.get("unit"), labels)
                series.setdefault(key, []).append(e["v"][field])
    rows = {(r["metric"], r["field"], r["kind"], r["unit"], r["labels"]): r
            for r in tables["metrics"]}
    check("series", sorted(rows, key=str), sorted(series, key=str))
    for key, values in series.items():
        row, there = rows[key], [v for v in values if v is not None]
        check(f"{key} counts", (row["samples"], row["absent"]),
              (len(there), len(values) - len(there)))
        for column, value in (("first", there[0]), ("last", there[-1]), ("min", min(there)),
                              ("max", max(there)), ("sum", sum(there)),
                              ("change", there[-1] - there[0]),
                              ("mean", sum(there) / len(there))):
            near(f"{key} {column}", row[column], value)


# ---- stacks ------------------------------------------------------------------------------------

def symbols_of(want):
    return {int(a, 16): names for a, names in want["symbols"].items()}


def names_of(chain, symbols):
    frames = []
    for address in reversed(chain or []):
        frames += [" ".join((n or "(anon)").replace(";", ":").split())
                   for n in symbols.get(address, ["0x%x" % address])]
    return ";".join(frames) or "(empty)"


def groups_of(want):
    """Who each sample belongs to: {by: {(group, source, stack): samples}}."""
    polls, symbols = [], symbols_of(want)
    for e in want["events"]:
        if e["t"] == "PollStartEvent":
            polls.append([e["ts"], None, e["v"]["task_id"], e["v"]["spawn_loc"]])
        elif e["t"] == "PollEndEvent":
            polls[-1][1] = e["ts"]
    found = {by: {} for by in ("kind", "thread", "worker", "task", "spawn", "span")}
    for e in events(want, "CpuSampleEvent"):
        v = e["v"]
        inside = [p for p in polls if p[0] <= e["ts"] <= p[1]]
        source = "off-CPU" if v["source"] else "on-CPU"
        group = {"kind": None, "thread": f"worker ({v['tid']})", "worker": "worker 0",
                 "task": f"task {inside[0][2]}", "spawn": inside[0][3], "span": "no span"}
        for by, of in group.items():
            key = (of, source, names_of(v["callchain"], symbols))
            found[by][key] = found[by].get(key, 0) + 1
    return found


def check_stacks(name):
    path, want = os.path.join(FIXTURES, name + ".bin"), expected(name)
    tables = tables_of(path)
    for source, key in (("on-CPU", "folded_cpu"), ("off-CPU", "folded_off_cpu")):
        rows = [[r["stack"], r["samples"]] for r in tables["folded"]
                if r["grouped_by"] == "kind" and r["source"] == source]
        check(key, rows, want[key])
    for by, groups in groups_of(want).items():
        rows = {(r["group_name"], r["source"], r["stack"]): r["samples"]
                for r in tables["folded"] if r["grouped_by"] == by}
        check(f"folded by {by}", rows, groups)
        lines = [line.rsplit(" ", 1) for line in
                 rastrum("tree", "--folded", "--by", by, path).splitlines()]
        check(f"tree by {by}", sorted(int(n) for _, n in lines), sorted(groups.values()))
    tasks = {}
    for e in events(want, "PollStartEvent"):
        tasks[e["v"]["task_id"]] = tasks.get(e["v"]["task_id"], 0) + 1
    check("polls of tasks", {r["task"]: r["polls"] for r in tables["task_cpu"]}, tasks)
    on = {}
    for (group, source, _), count in groups_of(want)["task"].items():
        if source == "on-CPU":
            on[group] = on.get(group, 0) + count
    check("samples of tasks", {f"task {r['task']}": r["on_cpu_samples"]
                               for r in tables["task_cpu"]}, on)


# ---- damaged, and conditions --------------------------------------------------------------------

def check_undefined_stack():
    tables = tables_of(os.path.join(FIXTURES, "damaged", "x07_undefined_stack.bin"))
    check("undefined stack", [(r["stack"], r["samples"], r["sampled_bytes"])
                              for r in tables["heap_sites"]], [("(empty)", 1, 5)])


def check_conditions():
    a, b = (os.path.join(FIXTURES, "alloc", n + ".bin")
            for n in ("a02_sites_rate_4096", "a01_sites"))
    for condition, status in (
            ("heap_sites.samples > 4", 0), ("heap_sites.samples >= 4", 1),
            ("heap_sites.samples != +0", 0), ("heap_sites.estimated_bytes > +1000%", 1),
            ("heap_sites.estimated_bytes > +10000%", 0), ("heap[alloc_samples].value == 12", 1),
            ("heap[alloc_samples].value > 12", 0), ("heap.nothing > 1", 2), ("none.x > 1", 2),
            ("heap.value >", 2), ("heap.value > 1x", 2), ("heap[none].value > 1", 2)):
        done = subprocess.run([RASTRUM, "diff", "--profile", "--fail-if", condition, a, b],
                              capture_output=True, timeout=60)
        check(f"condition {condition}", done.returncode, status)


def main():
    if not os.path.isdir(FIXTURES):
        print(f"{FIXTURES} is absent, not run")
    else:
        for name in ("a01_sites", "a02_sites_rate_4096", "a04_extremes_overflow", "a05_annotated"):
            check_heap("alloc/" + name)
        check_process("process/p01_steady")
        check_stacks("samples/f01_inlined")
        check_undefined_stack()
        check_conditions()


main()
tally.finish()
