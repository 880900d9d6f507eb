#!/usr/bin/env python3
"""dial9_spans.py - spans of all dialects, directories of segments and damage, of the 2026 fixtures.

dial9_spans.py RASTRUM FIXTURES

Every figure of the expected results is compared with `span` and `span_segment` records, with the
same tables in SQL, and with `stats`. Directories are read as one trace by every verb.
"""
import glob
import json
import os
import subprocess
import sys
import tempfile

from tally import check, finish

RASTRUM, FIXTURES = sys.argv[1], os.path.join(sys.argv[2], "dial9-2026")


def run(*args):
    done = subprocess.run([RASTRUM, *args], capture_output=True, timeout=120)
    return done.returncode, done.stdout, done.stderr.decode("utf-8", "replace")


class Pairs(list):
    """A JSON object as it is: keys may repeat."""


def cat(path, *args):
    status, out, err = run("cat", "--format", "jsonl", *args, path)
    rows = [dict(json.loads(line, object_pairs_hook=Pairs)) for line in out.splitlines()]
    return status, rows, err


def fields(row):
    return dict(row.get("values", row))


def rows_of(path, kind):
    return [fields(row) for row in cat(path, "--type", kind)[1] if "dialect" in fields(row)]


def tables(path, *args):
    status, out, err = run("stats", "--json", *args, path)
    document = json.loads(out) if out else {}
    if isinstance(document, list):
        document = document[0]
    return {name: [dict(zip(table["columns"], row)) for row in table["rows"]]
            for name, table in document.get("tables", {}).items()}


def expected(path):
    with open(path[:-4] + ".json", encoding="utf-8") as text:
        return json.load(text)


def pairs(value):
    return None if value is None else [list(pair) for pair in value]


# ---- modern ---------------------------------------------------------------------------------

SAME = {"name": "name", "target": "target", "file": "file", "line": "line", "start_ns": "start_ns",
        "end_ns": "end_ns", "elapsed_ns": "duration_ns", "first_enter_ns": "first_enter_ns",
        "active_ns": "active_ns", "observed_active_wall_ns": "observed_active_wall_ns",
        "thread_time_ns": "thread_time_ns", "concurrent": "concurrent",
        "unbalanced_enters": "unbalanced_enters", "unbalanced_exits": "unbalanced_exits",
        "parent_span_instance_id": "parent_span_id", "details_complete": "details_complete",
        "identity_quality": "identity_quality"}


def modern(name, path, want):
    spans = [row for row in rows_of(path, "span") if row["dialect"] == "modern"]
    stays = [row for row in rows_of(path, "span_segment") if row["dialect"] == "modern"]
    closed = {row["span_id"]: row for row in spans if row["reason"] == "ended"}
    open_ = [row for row in spans if row["reason"] != "ended"]
    check(f"{name} closed spans", len(closed) == len(want["modern"]), spans)
    check(f"{name} open spans",
          sorted(row["span_id"] for row in open_) == want["modern_without_close"], open_)
    check(f"{name} open spans have no end", all(row["end_ns"] is None for row in open_), open_)
    for row in want["modern"]:
        got = closed.get(row["span_instance_id"], {})
        for key, column in SAME.items():
            check(f"{name} {row['span_instance_id']} {key}", got.get(column) == row[key],
                  f"{got.get(column)}, not {row[key]}")
        check(f"{name} attributes", pairs(got.get("attributes")) == row["attributes"], got)
        mine = sorted([s["start_ns"], s["end_ns"]] for s in stays
                      if s["span_id"] == row["span_instance_id"] and s["end_ns"] is not None)
        check(f"{name} intervals", mine == row["intervals"], mine)
        parts = [got.get(part) or 0 for part in ("on_cpu_ns", "blocked_ns", "async_wait_ns",
                                                 "scheduler_delay_ns", "unknown_ns")]
        check(f"{name} five parts are all of it", sum(parts) == row["elapsed_ns"], parts)
        check(f"{name} flags", got.get("attribution_flags") == 15, got)


# ---- legacy ---------------------------------------------------------------------------------

def legacy(name, path, want):
    """Intervals as the viewer pairs them; place, close and attributes as the folder has them."""
    spans = [row for row in rows_of(path, "span") if row["dialect"] == "legacy"]
    stays = [row for row in rows_of(path, "span_segment") if row["dialect"] == "legacy"]
    for row in want["legacy_viewer"]:
        mine = [s for s in spans if s["span_id"] == row["span_id"]]
        intervals = sorted([s["start_ns"], s["end_ns"]] for s in stays
                           if s["span_id"] == row["span_id"] and s["end_ns"] is not None)
        check(f"{name} {row['span_id']} intervals",
              intervals == sorted(sum(row["segments"], [])), intervals)
        check(f"{name} {row['span_id']} spans",
              len([s for s in mine if s["segments"]]) == len(row["segments"]), mine)
        check(f"{name} {row['span_id']} name",
              all((s["name"], s["parent_span_id"]) == (row["name"], row["parent_span_id"])
                  for s in mine), mine)
        check(f"{name} {row['span_id']} exits",
              sum(s["unbalanced_exits"] for s in mine) == row["unmatched_exits"], mine)
        open_ = [s["start_ns"] for s in mine if s["close_ns"] is None and s["reason"] == "unended"]
        check(f"{name} {row['span_id']} open",
              open_ == ([] if row["open_at_end"] is None else [row["open_at_end"]]), mine)
    for row in want["legacy_folder"]:
        place = row["span_id"], row["start_ns"]
        got = [s for s in spans if (s["span_id"], s["start_ns"]) == place]
        if not check(f"{name} {row['span_id']} once", len(got) == 1, got):
            continue
        for key in ("name", "target", "file", "line", "identity_quality", "details_complete"):
            check(f"{name} {row['span_id']} {key}", got[0][key] == row[key], got[0][key])
        check(f"{name} {row['span_id']} close",
              (got[0]["close_ns"] or got[0]["end_ns"]) == row["end_ns"], got[0])
        check(f"{name} {row['span_id']} attributes",
              pairs(got[0]["attributes"]) == row["attributes"], got[0])


# ---- spans of one event ---------------------------------------------------------------------

def single(name, path, want):
    got = [row for row in rows_of(path, "span") if row["dialect"] == "single-event"]
    got.sort(key=lambda row: row["end_ns"])
    if not check(f"{name} single spans", len(got) == len(want), got):
        return
    for mine, row in zip(got, sorted(want, key=lambda row: row["end_ns"])):
        for key in ("name", "start_ns", "end_ns", "duration_ns", "task_id", "thread_id",
                    "worker_id"):
            check(f"{name} {row['name']} {key}", mine[key] == row[key], mine[key])
        check(f"{name} {row['name']} type", mine["kind"] == row["type"], mine["kind"])
        check(f"{name} {row['name']} attributes", dict(mine["attributes"]) == row["attributes"],
              mine["attributes"])


def in_sql(name, path, want):
    """The tables of SQL have the same rows."""
    status, out, err = run("sql", "--format", "jsonl", path,
                           "SELECT dialect, count(*) n, sum(duration_ns) ns FROM span GROUP BY 1")
    got = {row["dialect"]: row for row in map(json.loads, out.splitlines())}
    rows = want["spans"]["modern"]
    if rows:
        sum_ns = got.get("modern", {}).get("ns")
        check(f"{name} sql", sum_ns == sum(row["elapsed_ns"] for row in rows), f"{got} {err}")
    rows = want["single_event_spans"]
    check(f"{name} sql single", got.get("single-event", {}).get("n", 0) == len(rows), got)


def in_stats(name, path, want):
    by_type = tables(path, "-t", "span_types,span_time,span_attributes")
    rows = want["spans"]["modern"]
    mine = [row for row in by_type["span_types"] if row["dialect"] == "modern"]
    check(f"{name} stats count", sum(row["count"] for row in mine) == len(rows), mine)
    check(f"{name} stats total", sum(row["total_ns"] or 0 for row in mine)
          == sum(row["elapsed_ns"] for row in rows), mine)
    for row in by_type["span_time"]:
        parts = sum(row[part] or 0 for part in ("on_cpu_ns", "blocked_ns", "async_wait_ns",
                                                "scheduler_delay_ns", "unknown_ns"))
        check(f"{name} stats five parts", parts == row["elapsed_ns"], row)
    count = sum(len(row["attributes"]) for row in rows)
    check(f"{name} stats attributes",
          sum(row["count"] for row in by_type["span_attributes"]) == count,
          by_type["span_attributes"])


# ---- directories ----------------------------------------------------------------------------

def directory(path, want):
    name = os.path.basename(path)
    status, out, err = run("info", "--json", path)
    if not want["numeric_order"]:
        check(f"{name} refused", status == 2 and "no trace" in err, err)
        return
    check(f"{name} info", status == 0, err)
    segments = tables(path)["segments"]
    check(f"{name} order", [row["segment"] for row in segments] == want["numeric_order"], segments)
    for row in segments:
        file = want["files"][row["segment"]]
        check(f"{name} {row['segment']} events", row["events"] == file["events"], row)
        check(f"{name} {row['segment']} closes", row["spans_closed"] == file["closed_spans"], row)
    records = cat(path)[1]
    check(f"{name} events", len(records) == want["total_events"], len(records))
    spans = [row for row in rows_of(path, "span") if row["close_ns"] is not None]
    check(f"{name} spans", len(spans) == want["total_closed_spans"], len(spans))
    check(f"{name} verify", run("verify", path)[0] == 0)
    status, out, err = run("sql", "--format", "jsonl", path, "SELECT count(*) n FROM span")
    check(f"{name} sql", status == 0 and json.loads(out)["n"] == len(spans), f"{out} {err}")
    with tempfile.TemporaryDirectory() as made:
        one = os.path.join(made, "one.bin")
        status, out, err = run("merge", "-o", one, path)
        check(f"{name} merge", status == 0 and len(cat(one)[1]) == want["total_events"], err)
        check(f"{name} diff", run("diff", path, one)[0] == 0, run("diff", path, one)[1:])


def damaged():
    with open(os.path.join(FIXTURES, "damaged", "verdicts.json"), encoding="utf-8") as text:
        verdicts = json.load(text)
    for name, want in verdicts.items():
        path = os.path.join(FIXTURES, "damaged", name + ".bin")
        status, records, err = cat(path)
        good = want["status"] == "ok"
        check(f"{name} status", (status == 0) == good, f"{status} {err}")
        check(f"{name} events", len(records) == want["events_before"], len(records))
        for kind in ("span", "span_segment"):
            check(f"{name} {kind}", cat(path, "--type", kind)[0] == status, err)


def main():
    if not os.path.isdir(FIXTURES):
        print("dial9_spans: dial9-2026 is absent, not run")
        finish()
    for path in sorted(glob.glob(os.path.join(FIXTURES, "spans", "*.bin"))):
        name, want = os.path.basename(path)[:-4], expected(path)
        modern(name, path, want["spans"])
        legacy(name, path, want["spans"])
        single(name, path, want["single_event_spans"])
        in_sql(name, path, want)
        in_stats(name, path, want)
    for path in sorted(glob.glob(os.path.join(FIXTURES, "dirs", "*.json"))):
        with open(path, encoding="utf-8") as text:
            directory(path[:-5], json.load(text))
    damaged()
    finish()


main()
