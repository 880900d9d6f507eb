#!/usr/bin/env python3
"""atf_query.py - the tables of stats against what the public project's own query code prints.

atf_query.py RASTRUM FIXTURES
"""
import json
import os
import subprocess
import sys

from tally import check, finish

RASTRUM, FOLDER = sys.argv[1], os.path.join(sys.argv[2], "atf")
KINDS = {"EXCEPTION": "EXCEPT"}
# Defects of theirs: a footer is counted as two events in each file, a thread without a file as one.
THEIRS = {("footer_no_header", "total_events"): (170, 174), ("index_only", "thread_count"): (3, 4)}


def run(*args):
    done = subprocess.run([RASTRUM, *args], capture_output=True, timeout=120)
    return done.stdout.decode()


def golden(session, command):
    path = os.path.join(FOLDER, "cli_golden", "%s.%s.json" % (session, command))
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def table(path, name, *options):
    found = json.loads(run("stats", "--json", "--table", name, *options, path))["tables"][name]
    return [dict(zip(found["columns"], row)) for row in found["rows"]], found


def figures(path):
    return {row["figure"]: row["value"] for row in table(path, "summary")[0]}


def summary(session, path):
    want, got = golden(session, "summary"), figures(path)
    for key in ("module_path", "module_uuid", "thread_count", "symbol_count", "total_events"):
        ours, theirs = THEIRS.get((session, key), (want[key], want[key]))
        check("%s summary %s" % (session, key), (got[key], want[key]) == (ours, theirs),
              (got[key], want[key]))
    events = {row["thread"]: row["events"] for row in table(path, "threads")[0]}
    phantom = 2 if (session, "total_events") in THEIRS else 0
    counted = {t["id"]: t["event_count"] - phantom for t in want["threads"]}
    check(session + " events by thread",
          all(counted[t] == n for t, n in events.items()) and
          not any(n for t, n in counted.items() if t not in events), (events, counted))


def times(session, path):
    want, got = golden(session, "time-info"), figures(path)
    if not want["time_end_ns"]:
        return  # theirs are of the manifest, which the public tracer leaves at 0
    check(session + " times", (got["start_time_ns"], got["end_time_ns"], got["duration_ns"]) ==
          (want["time_start_ns"], want["time_end_ns"], want["duration_ns"]), got)


def event_of(row):
    return {"timestamp_ns": row["time_ns"], "thread_id": row["thread"], "depth": row["depth"],
            "kind": KINDS.get(row["kind"], row["kind"]), "function_id": row["function_id"],
            "function_name": None if row["function"].startswith("0x") else row["function"]}


def events(session, path):
    want = golden(session, "events")["events"]
    got = [event_of(row) for row in table(path, "events", "--all")[0]]
    check(session + " events", got == want, next(((i, g, w) for i, (g, w) in
                                                  enumerate(zip(got, want)) if g != w),
                                                 (len(got), len(want))))
    rows, whole = table(path, "events", "--offset", "7", "--limit", "5")
    check(session + " events, a page of them", [event_of(row) for row in rows] == want[7:12],
          whole)


def names(session, path):
    want = golden(session, "functions")["functions"]
    lines = run("cat", "--json", "--type", "function", path).splitlines()
    got = [json.loads(line)["values"]["name"] for line in lines]
    check(session + " functions", got == want, (got, want))


def main():
    found = sorted({name.split(".")[0] for name in os.listdir(os.path.join(FOLDER, "cli_golden"))})
    check("there are sessions", len(found) >= 4, found)
    for session in found:
        path = os.path.join(FOLDER, "sessions", session)
        summary(session, path)
        times(session, path)
        events(session, path)
        names(session, path)
    finish()


main()
