#!/usr/bin/python3
"""run_ranges - parts of a run on a timeline, held against its tables and its whole timeline.

run_ranges.py RASTRUM RUN

A range of ticks has the records that have these ticks in the tables of the run, and the ranges of a
division have them all, each once. A range of times has the instants and counters that have these
times in the whole timeline.
"""
import collections
import csv
import io
import json
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


def main():
    program, run = sys.argv[1:]
    lines = list(by_ticks(program, run, (0, 5, 6, 13, 1000))) + list(by_times(program, run))
    print("\n".join(lines) if lines else "ranges agree")
    return bool(lines)


sys.exit(main())
