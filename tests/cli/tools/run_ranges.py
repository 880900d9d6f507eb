#!/usr/bin/python3
"""run_ranges - parts of a run on a timeline and in files, held against its tables and its whole
timeline.

run_ranges.py RASTRUM RUN

A range of ticks has the records that have these ticks in the tables of the run, and the ranges of a
division have them all, each once. A range of times has the instants and counters that have these
times in the whole timeline; a file of tables has the records of these times, and of ticks that
begin then.
"""
import collections
import csv
import io
import json
import os
import shutil
import subprocess
import sys

# A type of records, the formats that have it, and which events of the timeline show one: a call and
# a return are the edges of a slice.
TYPES = ((("murk",), "command", "i"), (("murk", "aerogpu"), "frame", "B"),
         (("dial9",), "phase", "B"), (("dial9",), "tick", "B"), (("atf",), "event", "BEi"),
         (("cdt",), "death", "i"), (("cdt", "dial9"), "hit", "i"))


def ask(*words):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode:
        sys.exit("%s: %s" % (" ".join(words), done.stderr.decode()))
    return done.stdout.decode()


def events(program, run, *words):
    text = ask(program, "export", "--quiet", "--to", "chrome", *words, run)
    return [e for e in json.loads(text, parse_float=str)["traceEvents"] if e["ph"] != "M"]


def counted(program, run, form, kind, first, last):
    answer = ask(program, "sql", "--format", "csv", run, "SELECT count(*) n FROM %s.%s "
                 "WHERE run_tick >= %d AND run_tick < %d" % (form, kind, first, last))
    return int(list(csv.reader(io.StringIO(answer)))[1][0])


def by_ticks(program, run, borders):
    for forms, kind, shown in TYPES:
        found = []
        for first, last in zip(borders, borders[1:]):
            part = events(program, run, "--type", kind, "--from", str(first), "--until", str(last))
            found.append(sum(e["ph"] in shown for e in part))
            wanted = sum(counted(program, run, form, kind, first, last) for form in forms)
            if found[-1] != wanted:
                yield "%s in [%d, %d): %d on the timeline, %d rows" % (
                    kind, first, last, found[-1], wanted)
        print("%s: %s" % (kind, "as many" if sum(found) else "none"))


def nanoseconds(event):
    whole, parts = event["ts"].split(".")
    return int(whole) * 1000 + int(parts)


def points(all_events, first, last):
    """What has a time, without tracks, whose numbers depend on what else there is. A present is
    shown at the end of its frame, which may be that of the range; a pool counts 0 once it was not
    empty."""
    return collections.Counter(
        (e["ph"], e["ts"], e["name"], json.dumps(e.get("args"), sort_keys=True))
        for e in all_events if e["ph"] in "iC" and e["name"] != "present"
        and not (e["name"].startswith("active ") and e["args"]["value"] == 0)
        and first <= nanoseconds(e) < last)


def by_times(program, run):
    whole = events(program, run)
    times = sorted(nanoseconds(e) for e in whole)
    first, last = times[len(times) // 3], times[2 * len(times) // 3]
    part = events(program, run, "--axis", "time", "--from", str(first), "--until", str(last))
    if points(whole, first, last) != points(part, 0, 1 << 64):
        yield "the instants and counters of a range of times are not those of the whole"
    print("times: %s" % ("some" if points(part, 0, 1 << 64) else "none"))


def export_tables(program, run, to, *words):
    """Rows of each file of an export of tables, by its name."""
    ask(program, "export", "--quiet", "--to", to, *words, run, "-o", "parts")
    rows = {}
    for name in sorted(os.listdir("parts")):
        if name.endswith(".jsonl"):
            with open(os.path.join("parts", name), encoding="utf-8") as lines:
                rows[name[:-len(".jsonl")]] = [line for line in lines]
    shutil.rmtree("parts")
    return rows


def counts(rows):
    return {name: len(lines) for name, lines in rows.items() if lines}


def tables_by_ticks(program, run, borders):
    """The parts of a division are the whole, line by line; of each row the tick is one of the
    range; of a list it is that of its record."""
    whole = export_tables(program, run, "jsonl", *(word for t in KINDS for word in ("--type", t)))
    together = {name: [] for name in whole}
    for first, last in zip(borders, borders[1:]):
        part = export_tables(program, run, "jsonl", "--from", str(first), "--until", str(last),
                             *(word for t in KINDS for word in ("--type", t)))
        for name, lines in part.items():
            together[name] += lines
            bad = [line for line in lines
                   if not first <= json.loads(line).get("run_tick", first) < last]
            if bad:
                yield "%s in [%d, %d): %s" % (name, first, last, bad[0])
    for name, lines in whole.items():
        inside = [line for line in lines if json.loads(line).get("run_tick", 0) is not None]
        if sorted(together[name]) != sorted(inside):
            yield "%s: %d rows in parts, %d in the whole" % (name, len(together[name]),
                                                             len(inside))
    print("tables: %s" % ("in parts" if any(together.values()) else "none"))


def tables_by_times(program, run):
    answer = ask(program, "sql", "--format", "csv", run,
                 "SELECT run_tick, begin_ns FROM run_ticks ORDER BY 1")
    ticks = [tuple(map(int, row)) for row in list(csv.reader(io.StringIO(answer)))[1:]]
    first, last = ticks[len(ticks) // 3], ticks[2 * len(ticks) // 3]
    part = export_tables(program, run, "jsonl", "--axis", "time", "--from", str(first[1]),
                         "--until", str(last[1]), "--type", "frame", "--type", "phase")
    for name, lines in part.items():
        rows = [json.loads(line) for line in lines]
        if name == "dial9_phase":
            bad = [row for row in rows if not first[1] <= row["time_ns"] < last[1]]
        else:
            bad = [row for row in rows if not first[0] <= row["run_tick"] <= last[0]]
        if bad or not rows:
            yield "%s of times: %d rows, %s" % (name, len(rows), bad[:1])
    print("tables of times: %s" % ", ".join(sorted(counts(part))))


def tables_of_streams(program, run):
    part = export_tables(program, run, "jsonl", "--stream", "atf:0", "--type", "event", "--type",
                         "frame")
    if list(part) != ["atf_event"] or any(json.loads(line)["stream"] for line in
                                          part["atf_event"]):
        yield "tables of one stream: %s" % counts(part)
    print("tables of a stream: %s" % ", ".join(part))


KINDS = ("frame", "command", "command_coord", "phase", "tick", "event", "span", "death", "hit")


def main():
    program, run = sys.argv[1:]
    borders = (0, 5, 6, 13, 1000)
    lines = list(by_ticks(program, run, borders)) + list(by_times(program, run))
    lines += list(tables_by_ticks(program, run, borders)) + list(tables_by_times(program, run))
    lines += list(tables_of_streams(program, run))
    print("\n".join(lines) if lines else "ranges agree")
    return bool(lines)


sys.exit(main())
