#!/usr/bin/env python3
"""dial9_events.py - every event and annotation of the 2026 fixtures, and figures beside the others.

dial9_events.py RASTRUM FIXTURES

dial9_spans.py and dial9_profile.py compare what is computed from the events; here are the events
themselves, the heap by the default rate, and what the expected results say of files alone.
"""
import glob
import json
import math
import os
import re
import subprocess
import sys
import tempfile

from tally import check, finish, paired

RASTRUM, FIXTURES = sys.argv[1], os.path.join(sys.argv[2], "dial9-2026")


class Pairs(list):
    """A JSON object as it is: keys may repeat."""


def run(*args):
    done = subprocess.run([RASTRUM, *args], capture_output=True, timeout=120)
    return done.returncode, done.stdout, done.stderr.decode("utf-8", "replace")


def cat(path, *args):
    rows = run("cat", "--format", "jsonl", *args, path)[1].splitlines()
    return [dict(json.loads(line, object_pairs_hook=Pairs)) for line in rows]


def plain(value):
    """Maps as lists of pairs, floats by their bits, addresses as the numbers that they are."""
    if isinstance(value, float):
        return value.hex()
    if isinstance(value, str) and re.fullmatch("0x[0-9a-f]{16}", value):
        return int(value, 16)
    return [plain(v) for v in value] if isinstance(value, (list, tuple)) else value


def tables(path):
    found = json.loads(run("stats", "--json", path)[1])["tables"]
    return {name: [dict(zip(table["columns"], row)) for row in table["rows"]]
            for name, table in found.items()}


def events(name, path, want):
    got = cat(path)
    check(f"{name} count", len(got) == len(want["events"]), (len(got), len(want["events"])))
    for i, (row, event) in enumerate(zip(got, want["events"])):
        values = {k: plain(v) for k, v in row["values"]}
        place = (row["type"], row.get("time_ns")) == (event["t"], event["ts"])
        check(f"{name} event {i}",
              place and values == {k: plain(v) for k, v in event["v"].items()}, (row, event))


def annotations(name, path, want):
    got = {}
    for row in cat(path, "--type", "annotation"):
        values = dict(row["values"])
        fields = got.setdefault(values["type"], {})
        fields.setdefault(values["field"], {})[values["key"]] = values["value"]
    noted = {t: {f: keys for f, keys in fields.items() if keys}
             for t, fields in want["annotations"].items()}
    check(f"{name} annotations", got == {t: f for t, f in noted.items() if f}, (got, noted))


def default_rate(name, path, want, folder):
    """Where the metadata does not state the sampling rate, it is the default."""
    bare = os.path.join(folder, os.path.basename(path))
    with open(path, "rb") as data, open(bare, "wb") as out:
        out.write(data.read().replace(b"sample_rate_bytes", b"sample_rate_other"))
    found, rate = tables(bare), want["figures_with_default_rate"]
    figures = {row["figure"]: row["value"] for row in found["heap"]}
    for key, value in rate.items():
        if key != "sites":
            check(f"{name} default {key}", math.isclose(figures[key], value, rel_tol=1e-12),
                  (figures[key], value))
    sites = {row["stack"]: row for row in found["heap_sites"]}
    check(f"{name} default sites", len(sites) == len(rate["sites"]), sites)
    for site in rate["sites"]:
        row = sites[";".join("0x%x" % a for a in reversed(site["callchain"])) or "(empty)"]
        for column, key in (("samples", "count"), ("sampled_bytes", "sampled_bytes"),
                            ("live_samples", "live_count"), ("estimated_bytes",) * 2,
                            ("live_estimated_bytes",) * 2):
            check(f"{name} default {row['stack']} {key}",
                  math.isclose(row[column], site[key], rel_tol=1e-12), (row[column], site[key]))


def spans(name, path, want):
    """What dial9_spans.py leaves out."""
    got = [dict(row["values"]) for row in cat(path, "--type", "span")]
    legacy = [span for span in got if span["dialect"] == "legacy"]
    for row in want["legacy_folder"]:
        span = next(s for s in legacy if (s["span_id"], s["start_ns"]) ==
                    (row["span_id"], row["start_ns"]))
        check(f"{name} {row['span_id']} parent", span["parent_span_id"] == row["parent_span_id"],
              span)
        check(f"{name} {row['span_id']} elapsed",
              (span["close_ns"] or span["end_ns"]) - span["start_ns"] == row["elapsed_ns"], span)
    for row in want["legacy_viewer"]:
        closed = [s for s in legacy if s["span_id"] == row["span_id"] and s["segments"]]
        check(f"{name} {row['span_id']} ignored enters",
              sum(s["unbalanced_enters"] for s in closed) == row["ignored_enters"], closed)


def directory(path, want):
    name = os.path.basename(path)
    there = {row["segment"] for row in tables(path)["segments"]} if want["files"] else set()
    names = set(os.listdir(path))
    check(f"{name} ignored", names - there == set(want["ignored"]), names - there)
    for file, expected in want["files"].items():
        status, _, err = run("verify", os.path.join(path, file))
        check(f"{name} {file} status", (status == 0) == (expected["status"] == "ok"), err)
    if "upstream_error" in want:
        check(f"{name} refused", run("info", path)[0] == 2)


def main():
    for part in ("spans", "alloc", "process", "samples"):
        paired(os.path.join(FIXTURES, part), ".bin")
    paired(os.path.join(FIXTURES, "dirs"), "")
    with tempfile.TemporaryDirectory() as folder:
        for path in sorted(glob.glob(os.path.join(FIXTURES, "*", "*.json"))):
            with open(path, encoding="utf-8") as text:
                want = json.load(text)
            trace, name = path[:-5] + ".bin", os.path.basename(path)[:-5]
            if "files" in want:
                directory(path[:-5], want)
            if "events" not in want:
                continue
            events(name, trace, want)
            if "annotations" in want:
                annotations(name, trace, want)
            if "figures_with_default_rate" in want:
                default_rate(name, trace, want, folder)
            if "spans" in want:
                spans(name, trace, want["spans"])
    finish()


main()
